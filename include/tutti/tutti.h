#pragma once

#include <tutti/detail/export.hpp>

#include <stddef.h>
#include <stdint.h>

// Collectives among threads, for C11: pthreads, C11 threads, OpenMP regions. What the C++ headers promise
// holds here as well, and members that call from C and from C++ may be of one group.
//
//     tutti_caller me;
//     tutti_join(group, rank, &me);
//     tutti_allreduce(me, in, out, n, TUTTI_DOUBLE, TUTTI_SUM);                             // blocks
//     tutti_allreduce(tutti_start(me, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);      // is started
//     tutti_allreduce(tutti_prepare(me, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);    // is prepared
//     tutti_allreduce(tutti_arrive(meeting, rank, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);
//
// Every function that can fail returns a tutti_status, and tutti_error_text() says more. An argument that is
// wrong is named, be it a null pointer; nothing has happened then.

#ifdef __cplusplus
extern "C" {
#endif

/// 0, or why a call has failed: one of these, or a number of the program's own that a function of its own has
/// returned. Numbers below 100 are the library's.
typedef int tutti_status;
enum {
    TUTTI_OK = 0,
    /// An argument of this call is wrong. Nothing has been sent: the other members still wait for this one,
    /// which may call again with correct arguments.
    TUTTI_ARGUMENT_ERROR = 1,
    /// The members are in different calls, or in the same one with different arguments. All are released.
    TUTTI_MISMATCH_ERROR = 2,
    /// The member has been released because another one failed, whose failure the text says.
    TUTTI_ABORTED = 3,
    /// Anything else that the library refuses.
    TUTTI_ERROR = 4,
    TUTTI_NO_MEMORY = 5,
    /// What C++ code has thrown that the library has called, such as an operator.
    TUTTI_FOREIGN_ERROR = 6,
    /// A call of some member has waited longer than the deadline of its group. All are released; the text
    /// says who is where.
    TUTTI_TIMEOUT_ERROR = 7
};

/// What the last failure on the calling thread was, until its next one; never NULL.
TUTTI_API const char* tutti_error_text(void);

/// The version of the library, such as "0.1.0".
TUTTI_API const char* tutti_version(void);

/// The type of an element: one of these, or tutti_type_of_size().
typedef uint64_t tutti_type;
enum {
    TUTTI_INT8 = 1,
    TUTTI_UINT8 = 2,
    TUTTI_INT16 = 3,
    TUTTI_UINT16 = 4,
    TUTTI_INT32 = 5,
    TUTTI_UINT32 = 6,
    TUTTI_INT64 = 7,
    TUTTI_UINT64 = 8,
    TUTTI_FLOAT = 9,
    TUTTI_DOUBLE = 10,
    TUTTI_FLOAT_COMPLEX = 11,
    TUTTI_DOUBLE_COMPLEX = 12,
    TUTTI_INT = sizeof(int) == 4 ? TUTTI_INT32 : TUTTI_INT64,
    TUTTI_UNSIGNED = TUTTI_INT + 1,
    TUTTI_LONG = sizeof(long) == 4 ? TUTTI_INT32 : TUTTI_INT64,
    TUTTI_UNSIGNED_LONG = TUTTI_LONG + 1,
    TUTTI_SIZE = sizeof(size_t) == 4 ? TUTTI_UINT32 : TUTTI_UINT64
};

/// Any other type, such as a struct, of so many bytes. Its elements are moved, or combined by an operator of
/// tutti_op_create(). 0 bytes make no type, which the call says that gets it.
TUTTI_API tutti_type tutti_type_of_size(size_t bytes);

/// How a reduction combines two elements: one of these, or one of tutti_op_create(). MIN and MAX are not for
/// complex numbers; those that are logical (L) or go bit by bit (B) are for integers. Integers wrap.
typedef uint64_t tutti_op;
enum {
    TUTTI_SUM = 65,
    TUTTI_PROD = 66,
    TUTTI_MIN = 67,
    TUTTI_MAX = 68,
    TUTTI_LAND = 69,
    TUTTI_LOR = 70,
    TUTTI_LXOR = 71,
    TUTTI_BAND = 72,
    TUTTI_BOR = 73,
    TUTTI_BXOR = 74
};

/// Leaves in[i] op inout[i] in inout[i] for `n` elements, as user functions of MPI do. It is called for one
/// piece of the members' vectors after the other, by all members at the same time, and must not make calls of
/// their group.
typedef void (*tutti_op_function)(const void* in, void* inout, size_t n, void* user);

/// An operator of the program's own. `user` is passed on to the function, and may be another one on every
/// member. The function must be associative; if `commutative` is not 0 operands may be swapped, else they
/// keep rank order.
TUTTI_API tutti_status tutti_op_create(tutti_op_function function, void* user, int commutative, tutti_op* op);

/// Calls that were made with it, also those that are started or prepared, keep it for as long as they need. 0
/// is passed over.
TUTTI_API tutti_status tutti_op_free(tutti_op op);

/// In the place of the vector that a call reads: the one that it writes is both. Unlike MPI_IN_PLACE it is
/// passed by all members or none, also in a gather, scatter or reduction to a root, not by the root alone:
/// each of these says what the vector of the others is. Only where the root alone has counts each member does
/// as it likes.
#ifdef __cplusplus
#define TUTTI_IN_PLACE (reinterpret_cast<const void*>(intptr_t{-1}))
#else
#define TUTTI_IN_PLACE ((const void*)(intptr_t)-1)
#endif

/// An outstanding operation, or one that is prepared. TUTTI_REQUEST_NULL waits for nothing.
typedef struct tutti_request {
    /// The library's own.
    void* operation;
    /// The library's own.
    uint64_t kind;
} tutti_request;
// clang-format off
#define TUTTI_REQUEST_NULL {0, 0}
// clang-format on

/// In what order a reduction combines the members' operands: see tutti::Order.
enum { TUTTI_ORDER_ANY = 0, TUTTI_ORDER_SERIAL = 1 };

/// What may be chosen for one call, by tutti_with(); every member chooses the same algorithm and order.
/// `algorithm` is a name (`tutti info --algorithms` lists them); NULL: the library chooses. A call that waits
/// longer than `deadline_ms` ends with TUTTI_TIMEOUT_ERROR; 0: as its group says.
typedef struct tutti_call_options {
    /// Of this struct, as TUTTI_CALL_OPTIONS_INIT sets it.
    size_t size;
    /// A name, or NULL.
    const char* algorithm;
    /// TUTTI_ORDER_ANY or TUTTI_ORDER_SERIAL.
    int order;
    /// Milliseconds; 0: as the group says.
    int64_t deadline_ms;
} tutti_call_options;
#define TUTTI_CALL_OPTIONS_INIT                                                                              \
    { sizeof(tutti_call_options), 0, TUTTI_ORDER_ANY, 0 }

typedef struct tutti_group tutti_group;
typedef struct tutti_team tutti_team;
typedef struct tutti_rendezvous tutti_rendezvous;
typedef struct tutti_task tutti_task;

/// Who makes a call, and how: the first argument of all collectives. Passed by value; copies are the same
/// caller. Only `rank` and `size` are for the program to read.
typedef struct tutti_caller {
    /// 0 .. size - 1.
    int rank;
    /// The number of members; 0 is no caller.
    int size;
    /// The library's own, as all that follows.
    uint64_t member;
    /// The library's own.
    tutti_rendezvous* rendezvous;
    /// The library's own.
    tutti_request* request;
    /// The library's own.
    const tutti_call_options* options;
    /// The library's own.
    uint64_t how;
} tutti_caller;

/// The same caller, to start a call instead of waiting for it. The vectors belong to the operation until it
/// is complete, and `request` is written whatever becomes of the call. All members start the same calls in
/// the same order, also with regard to those that block; they may wait for them, and the operations complete,
/// in any order.
TUTTI_API tutti_caller tutti_start(tutti_caller me, tutti_request* request);

/// The same caller, to prepare a call that tutti_restart() starts, any number of times. All members prepare
/// the same calls in the same order. The request lasts until tutti_request_free().
TUTTI_API tutti_caller tutti_prepare(tutti_caller me, tutti_request* request);

/// A caller for a rank of a rendezvous, which brings its operands and goes away. `request` is written as
/// above.
TUTTI_API tutti_caller tutti_arrive(tutti_rendezvous* rendezvous, int rank, tutti_request* request);

/// The same caller, with options, which are read when the call is made. NULL: without any.
TUTTI_API tutti_caller tutti_with(tutti_caller me, const tutti_call_options* options);

/// The same caller, for an allreduce or allgather whose output is the same memory on every member: each
/// writes the part of it that it has computed, and all may read the whole afterwards. Nobody writes to it
/// before every member has come. Less traffic than a result for each member.
TUTTI_API tutti_caller tutti_shared(tutti_caller me);

/// The same caller, for a gatherv or scatterv, and no other call, whose counts every member gives, the same
/// list: more algorithms can that. If there are displacements every member gives some, but only the root's
/// say anything.
TUTTI_API tutti_caller tutti_counts_on_all(tutti_caller me);

// The collectives. p is the number of members; `n` counts elements, and so do counts and displacements. What
// a member's call writes must overlap no other member's vectors. Unless it says otherwise, a call has as many
// elements on every member, and its two vectors may be the same one, but not overlap otherwise. `in` is
// TUTTI_IN_PLACE for a call in place, on all members.

/// Returns when every member has called it.
TUTTI_API tutti_status tutti_barrier(tutti_caller me);

/// `inout` of every member becomes that of `root`.
TUTTI_API tutti_status tutti_broadcast(tutti_caller me, void* inout, size_t n, tutti_type type, int root);

/// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i] on the root; `out` of the others is not looked at. `in`
/// and `out` must not overlap. In place, `out` of every member is its operand, which the root's result
/// replaces.
TUTTI_API tutti_status tutti_reduce(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                                    tutti_op op, int root);

/// The same on every member, with the same bits.
TUTTI_API tutti_status tutti_allreduce(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                                       tutti_op op);

/// block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r: `block` has n elements, `in` p n.
/// `block` may be that part of `in`, or its start. In place, `block` is the whole vector of p n elements, of
/// which member r's part is replaced.
TUTTI_API tutti_status tutti_reduce_scatter(tutti_caller me, const void* in, void* block, size_t n,
                                            tutti_type type, tutti_op op);

/// out = block_0, block_1, ..., block_{p-1}: `block` has n elements, `out` p n. `block` may be this member's
/// part of `out`. In place, that part is its contribution.
TUTTI_API tutti_status tutti_allgather(tutti_caller me, const void* block, void* out, size_t n,
                                       tutti_type type);

/// The same on the root; `out` of the others is not looked at. `block` and `out` must not overlap. In place,
/// `out` of the root has p n elements, and that of the others is their block.
TUTTI_API tutti_status tutti_gather(tutti_caller me, const void* block, void* out, size_t n, tutti_type type,
                                    int root);

/// `block` of member r becomes elements r n .. r n + n - 1 of the root's `in`, which has p n; `in` of the
/// others is not looked at. They must not overlap. In place, `block` of the root has p n elements and is
/// kept.
TUTTI_API tutti_status tutti_scatter(tutti_caller me, const void* in, void* block, size_t n, tutti_type type,
                                     int root);

/// Elements j n .. j n + n - 1 of member i's `in` become elements i n .. i n + n - 1 of member j's `out`:
/// both have p n.
TUTTI_API tutti_status tutti_alltoall(tutti_caller me, const void* in, void* out, size_t n, tutti_type type);

/// out[i] = in_0[i] op ... op in_r[i] on member r.
TUTTI_API tutti_status tutti_scan(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                                  tutti_op op);

/// out[i] = in_0[i] op ... op in_{r-1}[i] on member r; `out` of member 0 is kept.
TUTTI_API tutti_status tutti_exscan(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                                    tutti_op op);

/// `out` of member r + distance (mod p) becomes `in` of member r; the distance may be negative.
TUTTI_API tutti_status tutti_shift(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                                   int distance);

// With irregular blocks: p counts, one for each member in rank order. Without displacements (NULL) blocks lie
// back to back. With them block i starts that many elements behind the start of the vector: blocks may come
// in any order and leave gaps, which are neither read nor written; those that are written must not overlap.
// All members give displacements or none. `n` is the length of the member's own block, which is not looked at
// where that lies in the whole vector, in place. Where a count is not the length of the block that is meant,
// who notices gets TUTTI_MISMATCH_ERROR, the others TUTTI_ABORTED.

/// The r-th count is the number of elements of member r's block: `in` has their sum, `block` the rank-th.
TUTTI_API tutti_status tutti_reduce_scatterv(tutti_caller me, const void* in, void* block,
                                             const size_t counts[], tutti_type type, tutti_op op);

/// The same counts on every member; displacements are each member's own affair.
TUTTI_API tutti_status tutti_allgatherv(tutti_caller me, const void* block, size_t n, void* out,
                                        const size_t counts[], const size_t displacements[], tutti_type type);

/// Only the root's counts and displacements are looked at, unless tutti_counts_on_all() says otherwise.
TUTTI_API tutti_status tutti_gatherv(tutti_caller me, const void* block, size_t n, void* out,
                                     const size_t counts[], const size_t displacements[], tutti_type type,
                                     int root);

/// The same. Blocks of `in` may overlap.
TUTTI_API tutti_status tutti_scatterv(tutti_caller me, const void* in, const size_t counts[],
                                      const size_t displacements[], void* block, size_t n, tutti_type type,
                                      int root);

/// Counts of what is sent to each member and of what is received from each, other ones on every member; `in`
/// and `out` must not overlap. In place, what is sent is as long and lies where what is received does, and
/// the arguments that say so are not looked at.
TUTTI_API tutti_status tutti_alltoallv(tutti_caller me, const void* in, const size_t send_counts[],
                                       const size_t send_displacements[], void* out,
                                       const size_t recv_counts[], const size_t recv_displacements[],
                                       tutti_type type);

/// inout[i] = in[i] op inout[i], by the calling thread alone.
TUTTI_API tutti_status tutti_reduce_local(const void* in, void* inout, size_t n, tutti_type type,
                                          tutti_op op);

// Requests. Only the thread that has started an operation may use its request, but any that of a rendezvous.
// Whoever tests or waits, also in a call that blocks, makes everything progress that its thread has in
// flight. A request is TUTTI_REQUEST_NULL when its operation has been waited for or been found complete, also
// where it has failed; that of a prepared call is kept until it is freed. Copies are used up with it. It is
// left as it is where the library refuses, as it does to another thread or an operator: TUTTI_ERROR.

/// Returns when the operation is complete.
TUTTI_API tutti_status tutti_wait(tutti_request* request);

/// Sets *done to whether it is complete, or has failed, after a look at what has come.
TUTTI_API tutti_status tutti_test(tutti_request* request, int* done);

/// Waits for all of them. Returns what the first of them returns that has failed.
TUTTI_API tutti_status tutti_wait_all(tutti_request requests[], size_t n);

/// Waits for one of them, which *index then says, and makes it TUTTI_REQUEST_NULL; such ones are passed over.
/// *index is n where there are no others. Not for prepared calls, nor for those of a rendezvous.
TUTTI_API tutti_status tutti_wait_any(tutti_request requests[], size_t n, size_t* index);

/// Calls function(user) when the operation is complete, on the thread that completes it: within its next test
/// or wait, or at the end of a call that blocks; at once if it is complete. Not if it fails; where the call
/// could not even be made, that is an error of this one. It may make any calls. Of a rendezvous, that thread
/// is another one, as a rule.
TUTTI_API tutti_status tutti_then(tutti_request* request, void (*function)(void* user), void* user);

/// Starts a prepared call once more. TUTTI_ERROR where it is still under way, or its member has left.
TUTTI_API tutti_status tutti_restart(tutti_request* request);

/// The same on other vectors, of as many elements; `in` is TUTTI_IN_PLACE where the call was in place or a
/// broadcast.
TUTTI_API tutti_status tutti_restart_with(tutti_request* request, const void* in, void* out);

/// Gives a request up, and a prepared call. Waits for the operation, but for that of a rendezvous; what has
/// ended it, the next call says. NULL and TUTTI_REQUEST_NULL are passed over.
TUTTI_API tutti_status tutti_request_free(tutti_request* request);

// Groups, of threads that exist already.

/// How a member waits for another one: see tutti::Wait.
enum { TUTTI_WAIT_AUTOMATIC = 0, TUTTI_WAIT_SPIN = 1, TUTTI_WAIT_YIELD = 2, TUTTI_WAIT_SLEEP = 3 };

/// What is recorded of calls: see tutti::Trace.
enum { TUTTI_TRACE_OFF = 0, TUTTI_TRACE_STATISTICS = 1, TUTTI_TRACE_OPERATIONS = 2, TUTTI_TRACE_STEPS = 3 };

/// See tutti::GroupOptions. `tuning` is a file of `tutti tune`; NULL: the one that TUTTI_TUNING names, if
/// any. Members that wait for seats that nobody has taken within `join_deadline_ms` get a TUTTI_ERROR that
/// names these; 0: they wait for ever. Calls that wait longer than `deadline_ms` end with
/// TUTTI_TIMEOUT_ERROR; 0: as the environment variable TUTTI_TIMEOUT says, in seconds, else never. `levels`
/// says into how many equal groups of consecutive ranks each of `level_count` levels of the machine is
/// divided, outermost first; with none, where members are pinned does.
typedef struct tutti_group_options {
    /// Of this struct, as TUTTI_GROUP_OPTIONS_INIT sets it.
    size_t size;
    /// One of TUTTI_WAIT_AUTOMATIC, _SPIN, _YIELD and _SLEEP.
    int wait;
    /// The name of a file, or NULL.
    const char* tuning;
    /// Milliseconds; 0: for ever.
    int64_t join_deadline_ms;
    /// Milliseconds; 0: as TUTTI_TIMEOUT says.
    int64_t deadline_ms;
    /// The groups in each group of the level before, or NULL.
    const int* levels;
    /// How many levels there are.
    size_t level_count;
    /// One of TUTTI_TRACE_OFF, _STATISTICS, _OPERATIONS and _STEPS.
    int trace;
} tutti_group_options;
#define TUTTI_GROUP_OPTIONS_INIT                                                                             \
    { sizeof(tutti_group_options), TUTTI_WAIT_AUTOMATIC, 0, 600000, 0, 0, 0, TUTTI_TRACE_OFF }

/// Seats for 1 .. 65535 threads. `options` may be NULL.
TUTTI_API tutti_status tutti_group_create(int members, const tutti_group_options* options,
                                          tutti_group** group);

/// Members that have joined may still leave. NULL is passed over.
TUTTI_API tutti_status tutti_group_free(tutti_group* group);

TUTTI_API tutti_status tutti_group_size(const tutti_group* group, int* size);

/// How a roll call is written: see tutti::RollCallFormat.
enum { TUTTI_ROLL_CALL_TEXT = 0, TUTTI_ROLL_CALL_JSON = 1 };

/// Who is where, as tutti::Group::roll_call: by any thread, at any time. Each call looks anew, so that a text
/// may be longer than that of the call before. Writes as much of the text as fits into `bytes` bytes with the
/// 0 at its end, and sets *length to that of the whole, without the 0, if `length` is not NULL.
TUTTI_API tutti_status tutti_group_roll_call(const tutti_group* group, int format, char* text, size_t bytes,
                                             size_t* length);

/// How a trace is written: see tutti::TraceFormat.
enum { TUTTI_TRACE_JSON_LINES = 0, TUTTI_TRACE_PERFETTO = 1 };

/// The last operations of the members, as tutti::Group::trace, written as tutti_group_roll_call() does it;
/// for Perfetto, `text` is bytes, with zeros among them. TUTTI_ERROR where they are not recorded.
TUTTI_API tutti_status tutti_group_trace(const tutti_group* group, int format, char* text, size_t bytes,
                                         size_t* length);

/// What the members have called and waited, as tutti::Statistics::prometheus with `name` as the group's,
/// written as tutti_group_roll_call() does it. TUTTI_ERROR where that is not recorded.
TUTTI_API tutti_status tutti_group_statistics(const tutti_group* group, const char* name, char* text,
                                              size_t bytes, size_t* length);

/// Takes seat `rank` for the calling thread, which then makes its calls as `me`, until tutti_leave(). Every
/// seat is to be taken once for each parallel region. TUTTI_ABORTED where the region to which the thread
/// comes has failed already, even if the thread was not there; it has not joined then, and joins again for
/// the next one. Where it fails *me has size 0, and no call is made as it.
TUTTI_API tutti_status tutti_join(tutti_group* group, int rank, tutti_caller* me);

/// Gives the seat back, once what the member has outstanding is complete. A member that has failed leaves as
/// well; where the others may wait for it, after tutti_abort(). A caller of size 0 has nothing to leave.
TUTTI_API tutti_status tutti_leave(tutti_caller me);

/// Releases all other members with TUTTI_ABORTED, whose text carries `text`. A member that cannot go on calls
/// this before it leaves. The group can be used again when all have left.
TUTTI_API tutti_status tutti_abort(tutti_caller me, const char* text);

/// What a member does: returns TUTTI_OK, or any other number if it has failed, which releases the others.
typedef tutti_status (*tutti_member_function)(tutti_caller me, void* user);

/// Joins, calls function(me, user) and leaves. Returns what it returns; a failure is the text of the others'
/// Aborted.
TUTTI_API tutti_status tutti_group_run(tutti_group* group, int rank, tutti_member_function function,
                                       void* user);

/// Members that give the same `color` become a group of their own, ranked by `key` and then by their rank
/// here; `part` is this member's caller in it, of size 0 if its color is negative. Every member calls it.
/// `part` leaves with tutti_leave(), as the callers do that the next two make.
TUTTI_API tutti_status tutti_split(tutti_caller me, int color, int key, tutti_caller* part);

/// The `n` members of `ranks`, ranked by their place in that list, which is the same on every member; `part`
/// is of size 0 if this one is not among them.
TUTTI_API tutti_status tutti_subset(tutti_caller me, const int ranks[], size_t n, tutti_caller* part);

/// The same members, with the same ranks, in a group of its own.
TUTTI_API tutti_status tutti_dup(tutti_caller me, tutti_caller* copy);

// Teams, of threads of their own.

/// See tutti::TeamOptions. `members` is 0 for one on each allowed CPU, `placement` NULL for "compact", and
/// `group` NULL or options of the team's group.
typedef struct tutti_team_options {
    /// Of this struct, as TUTTI_TEAM_OPTIONS_INIT sets it.
    size_t size;
    /// The number of threads, or 0.
    int members;
    /// Not 0: who calls tutti_team_run() is member 0.
    int caller_is_member;
    /// Where threads are pinned, or NULL.
    const char* placement;
    /// Or NULL.
    const tutti_group_options* group;
} tutti_team_options;
#define TUTTI_TEAM_OPTIONS_INIT                                                                              \
    { sizeof(tutti_team_options), 0, 0, 0, 0 }

/// Starts the threads. `options` may be NULL.
TUTTI_API tutti_status tutti_team_create(const tutti_team_options* options, tutti_team** team);

/// Ends them, once a run that is still going on has ended. NULL is passed over.
TUTTI_API tutti_status tutti_team_free(tutti_team* team);

TUTTI_API tutti_status tutti_team_size(const tutti_team* team, int* size);

/// As tutti_group_roll_call().
TUTTI_API tutti_status tutti_team_roll_call(const tutti_team* team, int format, char* text, size_t bytes,
                                            size_t* length);

/// As tutti_group_trace() and tutti_group_statistics().
TUTTI_API tutti_status tutti_team_trace(const tutti_team* team, int format, char* text, size_t bytes,
                                        size_t* length);
TUTTI_API tutti_status tutti_team_statistics(const tutti_team* team, const char* name, char* text,
                                             size_t bytes, size_t* length);

/// Calls function(me, user) once on every member's thread, and returns when all have returned: what the first
/// returned that failed by itself. `me` is a caller until then. The team can be used again afterwards.
TUTTI_API tutti_status tutti_team_run(tutti_team* team, tutti_member_function function, void* user);

// Rendezvous: ranks that are only names, for which any thread may act. See tutti::Rendezvous.

/// Runs tutti_task_run(task, 0) .. tutti_task_run(task, count - 1), each once, on any threads, before it
/// returns or later: what a pool of threads does for a loop. Where it returns anything but TUTTI_OK what it
/// was handed has failed, and it begins none of the tasks any more. A task that is run again does nothing and
/// returns TUTTI_ARGUMENT_ERROR.
typedef tutti_status (*tutti_executor)(void* user, size_t count, tutti_task* task);
TUTTI_API tutti_status tutti_task_run(tutti_task* task, size_t i);

/// See tutti::RendezvousOptions. Without an executor, the last rank to arrive does all of the work.
/// `slice_bytes` is what a task touches; 0: what the library takes. Who waits for ranks that have not arrived
/// for longer than `deadline_ms` ends the operation with TUTTI_TIMEOUT_ERROR for all ranks; 0: as the
/// environment variable TUTTI_TIMEOUT says, in seconds, else never.
typedef struct tutti_rendezvous_options {
    /// Of this struct, as TUTTI_RENDEZVOUS_OPTIONS_INIT sets it.
    size_t size;
    /// Or NULL.
    tutti_executor executor;
    /// What the executor is given.
    void* user;
    /// Bytes, or 0.
    size_t slice_bytes;
    /// Milliseconds; 0: as TUTTI_TIMEOUT says.
    int64_t deadline_ms;
} tutti_rendezvous_options;
#define TUTTI_RENDEZVOUS_OPTIONS_INIT                                                                        \
    { sizeof(tutti_rendezvous_options), 0, 0, 0, 0 }

/// `options` may be NULL.
TUTTI_API tutti_status tutti_rendezvous_create(int ranks, const tutti_rendezvous_options* options,
                                               tutti_rendezvous** rendezvous);

/// Requests of operations at which not all ranks have arrived fail with TUTTI_ERROR; those that an executor
/// still carries out are completed. NULL is passed over.
TUTTI_API tutti_status tutti_rendezvous_free(tutti_rendezvous* rendezvous);

TUTTI_API tutti_status tutti_rendezvous_size(const tutti_rendezvous* rendezvous, int* size);

/// As tutti_group_roll_call().
TUTTI_API tutti_status tutti_rendezvous_roll_call(const tutti_rendezvous* rendezvous, int format, char* text,
                                                  size_t bytes, size_t* length);

#ifdef __cplusplus
}
#endif
