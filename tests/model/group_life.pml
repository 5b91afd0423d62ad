/* The life of a group: see tests/README.md. Each step names the function of src/library that it models. Macros of the
   command line: EPOCHS, the calls of a member; REGIONS, how often it joins at most; CALLED: whether a roll call is
   requested; BOUND: whether a sleep ends by itself. The rest are faults. */
#define N 2
#define THREADS (N + 1 + CALLED)
#define LONG 1 /* looks until a timeout has passed */
#define other(i) (1 - i)
mtype = { none, aborted, timed_out, absent, not_joined, differs, by_program };
bool alive = true; /* GroupState; its owners: the Group and the Members */
byte owners = 1, ended, joins; /* joins: threads that need the Group no more: the program destroys it after that */
bool raised, has_timeout; /* Failure::raised_ */
byte region[N], left_region[N];     /* MemberStatus */
bool inside[N], late[N];            /* inside_bit of Board::progress; stored, but not visible yet */
byte shown[N], shown_region[N];     /* epoch and history of the slot in which a member enters a call */
byte done[N];                       /* epoch of the slot in which it shows that it has read */
bool valid[N];                      /* the member's buffer, from its call until that returns or throws */
byte asleep[N];                     /* the member + 1 on whose Board::event it sleeps or is about to */
bool listed = true; bool list_lock = false; bool calling = false; /* Signalled and RollCallListed */
#define lock(mutex) atomic { !mutex -> mutex = true }
#define unlock(mutex) mutex = false
#define is_shown (shown[other(i)] >= epoch)
#define is_read (done[other(i)] >= epoch)
#define has_left(m) (left_region[m] != 0 && left_region[m] >= region[i])
#define has_sleeper(m) (asleep[0] == m + 1 || asleep[1] == m + 1)
#define notify(m) d_step { asleep[0] = (asleep[0] == m + 1 -> 0 : asleep[0]); asleep[1] = (asleep[1] == m + 1 -> 0 : asleep[1]) }
inline fail() { /* GroupState::fail: Failure::raise, SharedMemory::notify_all */
    assert(alive); raised = true;
    d_step { asleep[0] = 0; asleep[1] = 0 }
}
inline publish(word, value) { /* BasicEventCount::notify_if_needed: a plain load, which may come before the store */
    assert(alive);
    if :: word = value; sleeps = has_sleeper(i) :: sleeps = has_sleeper(i); word = value fi;
    if :: sleeps -> notify(i); sleeps = false :: else fi
}
inline fail_call() { /* Seat::fail_call, library::leave_failed_call */
    fail(); d_step { late[i] = 0; inside[i] = 0 };
    if :: NO_BARRIER :: else -> d_step { inside[0] = inside[0] | late[0]; inside[1] = inside[1] | late[1]; late[0] = 0; late[1] = 0 } fi; /* order_all_threads */
    !inside[0]; !inside[1]
}
inline wait_for(peer, is_ready, has_come) { /* mailbox::progress_until, library::check_stalled */
    looks = 0;
    do :: is_ready -> break
    :: else ->
        atomic { assert(alive); if
            :: raised -> error = aborted
            :: !raised && region[peer] == 0 && looks == LONG -> error = not_joined /* Seats::require_joined */
            :: !raised && has_timeout && looks == LONG && !(is_ready) -> error = timed_out /* Diagnosis::time_out */
            :: else fi };
        if :: error != none -> break :: else fi;
        is_gone = (READY_FIRST -> !(is_ready) : has_left(peer)); /* has_left_region_of */
        is_gone = is_gone && (READY_FIRST -> has_left(peer) : !(is_ready));
        if :: is_gone -> atomic { error = (raised -> aborted : absent); assert(error == aborted || !(has_come)) }; break :: else fi;
        d_step { asleep[i] = peer + 1; looks = LONG }; /* BasicEventCount::sleep */
        if :: is_ready :: else -> if :: asleep[i] == 0 :: BOUND fi fi;
        asleep[i] = 0
    od; looks = 0; is_gone = false
}
inline call() { /* Seat::run_prepared, Runner::follow_plan */
    is_late = raised; valid[i] = true;
    late[i] = !LOOK_FIRST; /* Runner::enter_operation */
    if :: raised -> error = aborted :: else fi;
    d_step { inside[i] = 1; late[i] = 0 };
    if
    :: error == none ->
        shown_region[i] = region[i]; publish(shown[i], epoch);
        wait_for(other(i), is_shown, is_shown && shown_region[other(i)] == region[i]);
        if
        :: error == none && shown_region[other(i)] != region[i] -> error = differs /* Runner::open */
        :: error == none && shown_region[other(i)] == region[i] ->
            assert(valid[other(i)]); /* reads the buffer */
            publish(done[i], epoch); wait_for(other(i), is_read, is_read)
        :: else
        fi
    :: else fi;
    if :: error == none -> inside[i] = 0; assert(!is_late) /* a failure ends all later calls */ :: else -> fail_call() fi;
    valid[i] = false; is_late = false
}
inline drop() { /* ~shared_ptr<GroupState> */
    atomic { owners--; is_last = owners == 0 };
    if
    :: is_last -> /* ~Diagnosis, ~RollCallListed, Signalled::remove */
        if :: NO_CALLING :: else -> lock(calling) fi;
        lock(list_lock); listed = false; unlock(list_lock); calling = false; alive = false
    :: else fi; is_last = false
}
proctype member(byte i) {
    byte epoch = 1, looks, times; bool is_gone, is_late, sleeps, is_last; mtype error = none;
    if :: true -> goto over /* the thread never joins */ :: true -> times = 1 :: true -> times = REGIONS fi;
    do
    :: times > 0 ->
        assert(alive); /* Group::join, Seats::take */
        if :: raised -> break :: else fi;
        region[i] = left_region[i] + 1; owners++; times--;
        if :: times == 0 -> joins++ :: else fi;
        do
        :: epoch <= EPOCHS -> call(); epoch++; if :: error != none -> break :: else fi
        :: true -> break
        :: true -> fail(); error = by_program; break /* Seat::abort */
        od;
        if :: error == none || error == by_program :: else -> fail() fi; /* Group::run_member */
        publish(left_region[i], region[i]); /* Member::leave, SharedMemory::leave_region */
        if :: error != none && times > 0 -> joins++; times = 0 :: else fi;
        drop(); error = none; if :: times == 0 -> goto left :: else fi
    :: else -> break
    od;
over: joins++; left: ended++
}
proctype program() { /* Group::~Group */
    bool is_last = false;
    joins == N; drop(); ended++
}
proctype roll_calls() { /* Signalled::roll_calls */
    bool is_called;
    atomic { !list_lock -> list_lock = true; is_called = listed && !calling; calling = calling || is_called };
    if :: is_called -> unlock(list_lock); assert(alive); lock(list_lock); calling = false :: else fi; /* roll_call_ */
    unlock(list_lock); ended++
}
init {
    atomic {
        if :: has_timeout = true :: has_timeout = false fi; run member(0); run member(1); run program();
        if :: CALLED -> run roll_calls() :: else fi
    }
}
/* Documented in docs/guarantees.md: without a timeout, nobody learns that a thread does not join again. */
#define stays_away(i) (!has_timeout && ended == THREADS - 1 && left_region[1 - i] != 0 && left_region[1 - i] < region[i])
ltl everybody_ends { <> (ended == THREADS || stays_away(0) || stays_away(1)) }
