// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/version.h>

#include <stddef.h>
#include <stdint.h>

// Collectives among threads, for C11: pthreads, C11 threads, OpenMP regions. The guarantees of the C++
// headers hold here as well, and members of one group may call from C and from C++.
//
//     tutti_member me;
//     tutti_join(group, rank, &me);
//     tutti_allreduce(me, in, out, n, TUTTI_DOUBLE, TUTTI_SUM);
//     tutti_allreduce(tutti_nonblocking(me, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);
//     tutti_allreduce(tutti_persistent(me, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);
//     tutti_allreduce(tutti_async_rank(async_group, rank, &request), in, out, n, TUTTI_DOUBLE, TUTTI_SUM);
//
// Every function that can fail returns a tutti_status; tutti_error_text() returns the details. If an argument
// is wrong, for example a null pointer, the text names it, and the call has had no effect.

#ifdef __cplusplus
extern "C" {
#endif

/// 0, or the reason why a call has failed: one of these, or a number that a function of the program has
/// returned. Numbers below 100 are reserved for the library.
typedef int tutti_status;
enum {
    TUTTI_OK = 0,
    /// An argument of this call is wrong. Nothing has been sent. The other members still wait for this
    /// member, which may call again with correct arguments.
    TUTTI_ARGUMENT_ERROR = 1,
    /// The members are in different calls, or in the same call with different arguments. The call fails on
    /// all members.
    TUTTI_MISMATCH_ERROR = 2,
    /// The call has ended because another member failed; the text has that failure.
    TUTTI_ABORTED = 3,
    /// Any other error that the library reports.
    TUTTI_ERROR = 4,
    TUTTI_NO_MEMORY = 5,
    /// C++ code that the library called, such as an operator, has thrown an exception.
    TUTTI_FOREIGN_ERROR = 6,
    /// A call of some member has waited longer than its timeout. The call fails on all members; the text
    /// lists where each member is.
    TUTTI_TIMEOUT_ERROR = 7,
    /// The arguments of the members do not fit together. All members return it, and may go on.
    TUTTI_COMBINATION_ERROR = 8
};

/// The name of a status and its meaning in one sentence, such as "TUTTI_ABORTED: the call has ended because
/// another member failed". For any other number, the text states whether it is reserved or the program's own.
/// Never NULL; valid until the process ends.
TUTTI_API const char* tutti_status_text(tutti_status status);

/// The text of the last failure on the calling thread, valid until the next failure there; never NULL.
TUTTI_API const char* tutti_error_text(void);

/// The fields of the last failure on the calling thread: see tutti::ErrorContext, and the class of
/// tutti/error.hpp for the status. Initialise it with TUTTI_ERROR_INFO_INIT.
typedef struct tutti_error_info {
    /// The size of this struct, set by TUTTI_ERROR_INFO_INIT.
    size_t size;
    /// The member whose call has ended, or -1.
    int rank;
    /// The other member, such as the one that failed or is waited for, or -1.
    int peer;
    /// The number of the call, from 1, or 0.
    uint64_t operation;
    /// The name of the collective, such as "allreduce", or NULL. Valid until the process ends.
    const char* collective;
    /// The source file of the call, or NULL if it is unknown: see tutti_at().
    const char* file;
    /// The line in that file, or 0.
    unsigned line;
} tutti_error_info;
#define TUTTI_ERROR_INFO_INIT                                                                                \
    { sizeof(tutti_error_info), -1, -1, 0, 0, 0, 0 }

/// Writes the fields of the last failure on the calling thread to *info; all are unknown if there was none,
/// or if it was no error of the library.
TUTTI_API tutti_status tutti_last_error(tutti_error_info* info);

/// The severity of a message: see tutti::Severity.
enum { TUTTI_LOG_ERROR = 0, TUTTI_LOG_WARNING = 1, TUTTI_LOG_INFO = 2 };

/// Receives a message: see tutti::LogFunction.
typedef void (*tutti_log_function)(int severity, const char* text, void* user);

/// Sends the library's messages to function(severity, text, user), for the whole process, instead of stderr.
/// NULL restores stderr. See tutti::set_log(), also for what the function must not do. When this returns, the
/// function that was set before is not called any more.
TUTTI_API tutti_status tutti_set_log(tutti_log_function function, void* user);

/// Receives a failure: see tutti::FailureFunction.
typedef void (*tutti_failure_function)(int member, const char* text, void* user);

/// Has function(member, text, user) called whenever a group of the process fails, before the member that
/// fails returns and before the others are released. NULL removes it. See tutti::set_failure_hook(), also for
/// what the function must not do. When this returns, the function that was set before is not called any more.
TUTTI_API tutti_status tutti_set_failure_hook(tutti_failure_function function, void* user);

/// Saves the choices of algorithms that the groups of this process have learnt to a file, or merges them into
/// it: see tutti::save_tuning(). Returns TUTTI_ARGUMENT_ERROR if `path` is NULL, cannot be written, or is not
/// a tuning file of this machine and version. Any thread may call it at any time.
TUTTI_API tutti_status tutti_save_tuning(const char* path);

/// The version of the library that the process has loaded, in the form of TUTTI_VERSION, which is the version
/// of this header: 10000 * major + 100 * minor + patch.
TUTTI_API int tutti_version(void);

/// The type of an element: one of these, one of pairs such as TUTTI_DOUBLE_INT, one of long numbers, or a
/// result of tutti_type_of_size().
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
    TUTTI_FLOAT16 = 11,  ///< IEEE 754 binary16: _Float16
    TUTTI_BFLOAT16 = 12, ///< the upper half of a float: __bf16
    TUTTI_FLOAT_COMPLEX = 13,
    TUTTI_DOUBLE_COMPLEX = 14,
    TUTTI_INT = sizeof(int) == 4 ? TUTTI_INT32 : TUTTI_INT64,
    TUTTI_UNSIGNED = TUTTI_INT + 1,
    TUTTI_LONG = sizeof(long) == 4 ? TUTTI_INT32 : TUTTI_INT64,
    TUTTI_UNSIGNED_LONG = TUTTI_LONG + 1,
    TUTTI_SIZE = sizeof(size_t) == 4 ? TUTTI_UINT32 : TUTTI_UINT64
};

/// Pairs, with the layout of struct { float first; int second; } and of the same with the named types.
/// Elements of TUTTI_MINLOC and TUTTI_MAXLOC are a value and a position, such as a rank or an index, as in
/// MPI.
enum {
    TUTTI_FLOAT_INT = 33,
    TUTTI_DOUBLE_INT = 34,
    TUTTI_LONG_INT = 35,
    TUTTI_2INT = 36,
    TUTTI_2FLOAT = 37,
    TUTTI_2DOUBLE = 38,
    TUTTI_2INT64 = 39
};

/// Numbers without vector code. TUTTI_INT128 and TUTTI_UINT128 are __int128, if the compiler has it.
enum { TUTTI_LONG_DOUBLE = 40, TUTTI_INT128 = 41, TUTTI_UINT128 = 42 };

/// Any other type, such as a struct, given by its size. Its elements can be moved, or combined by an operator
/// of tutti_op_create(). They are never split, and may lie at any address. 0 bytes are no type: a call that
/// gets it returns TUTTI_ARGUMENT_ERROR.
TUTTI_API tutti_type tutti_type_of_size(size_t bytes);

/// How a reduction combines two elements: one of these, or an operator of tutti_op_create(). Integers wrap.
///
/// - MIN and MAX are not for complex numbers. They are those of IEEE 754-2019: NaN if an operand is NaN, and
///   -0 is less than +0; see tutti::Min.
/// - The logical (L) and bitwise (B) operators are for integers.
/// - MINLOC and MAXLOC (argmin and argmax) are for all types of pairs. Among equal values the lowest position
///   wins; NaN is preferred to numbers: see tutti::MinLoc.
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
    TUTTI_BXOR = 74,
    TUTTI_MINLOC = 97,
    TUTTI_MAXLOC = 98
};

/// Must store in[i] op inout[i] in inout[i] for `n` elements, as user functions of MPI do. All members call
/// it at the same time, for one piece of their buffers after the other. It must not make calls of their
/// group.
typedef void (*tutti_op_function)(const void* in, void* inout, size_t n, void* user);

/// Makes an operator of the program. `user` is passed to the function, and must live as long as calls with
/// the operator; it may differ between members. The function must be associative. If `commutative` is not 0,
/// operands may be swapped; otherwise they stay in rank order.
TUTTI_API tutti_status tutti_op_create(tutti_op_function function, void* user, int commutative, tutti_op* op);

/// Frees an operator. Outstanding and persistent calls that use it keep it for as long as they need. 0 is
/// ignored.
TUTTI_API tutti_status tutti_op_free(tutti_op op);

/// Passed instead of the buffer that a call reads: the buffer that it writes is then both.
///
/// @warning Unlike MPI_IN_PLACE, it must be passed by all members or by none, also in a gather, a scatter or
/// a reduction to a root. Each of these describes what the buffer of the other members is. Only in a gatherv
/// or scatterv with counts at the root may each member choose for itself.
#ifdef __cplusplus
#define TUTTI_IN_PLACE (reinterpret_cast<const void*>(intptr_t{-1}))
#else
#define TUTTI_IN_PLACE ((const void*)(intptr_t)-1)
#endif

/// An outstanding or persistent operation. It must be TUTTI_REQUEST_NULL, or have been passed to a call,
/// before it is used.
typedef struct tutti_request {
    /// Internal.
    void* operation;
    /// Internal.
    uint64_t kind;
} tutti_request;
/// An empty request, which waits for nothing: `request = TUTTI_REQUEST_NULL;`. As in every static object, the
/// bytes of a static request are 0 at first, which is the same; in C, this value cannot initialise one.
#ifdef __cplusplus
#define TUTTI_REQUEST_NULL (tutti_request{})
#else
#define TUTTI_REQUEST_NULL ((tutti_request){0})
#endif

/// The order in which a reduction combines the members' operands: see tutti::Order.
enum { TUTTI_ORDER_CANONICAL = 0, TUTTI_ORDER_SERIAL = 1, TUTTI_ORDER_BY_PROCESS = 2 };

/// Special values of timeouts, which are otherwise positive numbers of milliseconds: the default of the
/// place, and a timeout that never expires.
enum { TUTTI_TIMEOUT_DEFAULT = 0, TUTTI_NEVER = 2147483647 };

/// Options of one call, passed by tutti_with_options(). Every member must pass the same algorithm and order.
/// Initialise it with TUTTI_CALL_OPTIONS_INIT.
typedef struct tutti_call_options {
    /// The size of this struct, set by TUTTI_CALL_OPTIONS_INIT.
    size_t size;
    /// The name of an algorithm (`tutti info --algorithms` lists them), or NULL: the library chooses.
    const char* algorithm;
    /// TUTTI_ORDER_CANONICAL, TUTTI_ORDER_SERIAL or TUTTI_ORDER_BY_PROCESS.
    int order;
    /// Milliseconds after which a waiting call ends with TUTTI_TIMEOUT_ERROR, or TUTTI_NEVER.
    /// TUTTI_TIMEOUT_DEFAULT: the timeout of the group.
    int64_t timeout_ms;
} tutti_call_options;
#define TUTTI_CALL_OPTIONS_INIT                                                                              \
    { sizeof(tutti_call_options), 0, TUTTI_ORDER_CANONICAL, TUTTI_TIMEOUT_DEFAULT }

typedef struct tutti_group tutti_group;
typedef struct tutti_team tutti_team;
typedef struct tutti_async_group tutti_async_group;
typedef struct tutti_neighbors tutti_neighbors;
typedef struct tutti_task tutti_task;

/// A member of a group, and how it calls: the first argument of all collectives. It is passed by value;
/// copies are the same member. The program may read only `rank` and `size`.
typedef struct tutti_member {
    /// 0 .. size - 1.
    int rank;
    /// The number of members; 0 if this is no member.
    int size;
    /// Internal, like all members that follow.
    uint64_t member;
    tutti_async_group* async_group; ///< internal
    tutti_request* request;         ///< internal
    const char* algorithm;          ///< internal
    int64_t timeout_ms;             ///< internal
    const char* file;               ///< internal
    uint32_t line;                  ///< internal
    uint16_t how;                   ///< internal
    int16_t order;                  ///< internal
} tutti_member;

/// Returns the same member with the source line that roll calls and tutti_last_error() show for the call, if
/// it has none yet. `file` must stay valid as long as the program may request roll calls, as a string literal
/// does.
///
/// Collectives and splits pass their own source line: macros of the same names at the end of this header call
/// tutti_at(me, __FILE__, __LINE__). A function that makes calls for another function can pass on the line of
/// that function. A member that is written with a comma outside parentheses needs parentheses of its own. A
/// name in parentheses, `(tutti_barrier)(me)`, or its address is the function alone, whose calls have no
/// line. No macro is defined if TUTTI_NO_SOURCE_LINES is defined before this header.
static inline tutti_member tutti_at(tutti_member me, const char* file, unsigned line) {
    if (!me.file) {
        me.file = file;
        me.line = line;
    }
    return me;
}

/// Returns the same member for one nonblocking call. The buffers belong to the operation until it is
/// complete. `request` becomes TUTTI_REQUEST_NULL, and is written even if the call fails. All members must
/// start the same calls in the same order, also in relation to their blocking calls. They may wait for the
/// operations in any order, and the operations may complete in any order.
///
/// Until `request` is TUTTI_REQUEST_NULL again, another call with the returned member, or with a copy of it,
/// returns TUTTI_ARGUMENT_ERROR.
TUTTI_API tutti_member tutti_nonblocking(tutti_member me, tutti_request* request);

/// Returns the same member for preparing one persistent call, which tutti_start() starts any number of
/// times. All members must prepare the same calls in the same order, also in relation to their blocking
/// calls. The request is valid until tutti_request_free().
TUTTI_API tutti_member tutti_persistent(tutti_member me, tutti_request* request);

/// Returns a member for one call of a rank of an async group. The call hands over the operands and returns
/// without waiting for other ranks. `request` is written as for tutti_nonblocking().
TUTTI_API tutti_member tutti_async_rank(tutti_async_group* async_group, int rank, tutti_request* request);

/// Returns the same member with a copy of these options. NULL: without options. The algorithm's name is not
/// copied: it must be a literal, or stay valid until the last call with this member.
TUTTI_API tutti_member tutti_with_options(tutti_member me, const tutti_call_options* options);

/// Returns the same member for an allreduce or allgather whose output is the same memory on every member.
/// Each member writes the part that it has computed; afterwards all may read the whole. No member writes to
/// the output before every member has entered the call. It moves less data than one result per member.
TUTTI_API tutti_member tutti_shared_output(tutti_member me);

/// Returns the same member for a gatherv or scatterv, and no other call, in which every member passes the
/// same counts; more algorithms support this. Either every member must pass displacements or none; only the
/// root's are used.
TUTTI_API tutti_member tutti_counts_on_all(tutti_member me);

// The collectives. p is the number of members. `n`, counts and displacements are numbers of elements. A
// buffer to which a call writes must not overlap any buffer of another member. Unless stated otherwise, `n`
// must be the same on every member, and the two buffers of a call may be the same, but must not overlap
// otherwise. For a call in place, `in` must be TUTTI_IN_PLACE on all members. Exception: in a gatherv or
// scatterv with counts at the root, each member may choose for itself.

/// Returns when every member has called it.
TUTTI_API tutti_status tutti_barrier(tutti_member me);

/// Copies `inout` of `root` to `inout` of every other member.
TUTTI_API tutti_status tutti_broadcast(tutti_member me, void* inout, size_t n, tutti_type type, int root);

/// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i] on the root; `out` of the other members is ignored. `in`
/// and `out` must not overlap. In place, `out` of every member is its operand, and the result replaces the
/// root's.
TUTTI_API tutti_status tutti_reduce(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                                    tutti_op op, int root);

/// out[i] = in_0[i] op in_1[i] op ... op in_{p-1}[i], with the same bits on every member.
TUTTI_API tutti_status tutti_allreduce(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                                       tutti_op op);

/// block[i] = in_0[r n + i] op ... op in_{p-1}[r n + i] on member r: `block` has n elements, `in` has p n.
/// `block` may be the r-th block of `in`, or its start. In place, `block` is the whole buffer of p n
/// elements, and the result replaces member r's block of it.
TUTTI_API tutti_status tutti_reduce_scatter(tutti_member me, const void* in, void* block, size_t n,
                                            tutti_type type, tutti_op op);

/// out = block_0, block_1, ..., block_{p-1}: `block` has n elements, `out` has p n. `block` may be this
/// member's block of `out`. In place, that block is the member's contribution.
TUTTI_API tutti_status tutti_allgather(tutti_member me, const void* block, void* out, size_t n,
                                       tutti_type type);

/// out = block_0, block_1, ..., block_{p-1} on the root; `out` of the other members is ignored. `block` and
/// `out` must not overlap. In place, `out` of the root has p n elements, and `out` of another member is its
/// block.
TUTTI_API tutti_status tutti_gather(tutti_member me, const void* block, void* out, size_t n, tutti_type type,
                                    int root);

/// `block` of member r becomes elements r n .. r n + n - 1 of the root's `in`, which has p n; `in` of the
/// other members is ignored. They must not overlap. In place, `block` of the root has p n elements and is
/// unchanged.
TUTTI_API tutti_status tutti_scatter(tutti_member me, const void* in, void* block, size_t n, tutti_type type,
                                     int root);

/// Elements j n .. j n + n - 1 of member i's `in` become elements i n .. i n + n - 1 of member j's `out`.
/// Both have p n elements.
TUTTI_API tutti_status tutti_alltoall(tutti_member me, const void* in, void* out, size_t n, tutti_type type);

/// out[i] = in_0[i] op ... op in_r[i] on member r.
TUTTI_API tutti_status tutti_scan(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                                  tutti_op op);

/// out[i] = in_0[i] op ... op in_{r-1}[i] on member r. `out` of member 0 is unchanged, so it can be set to
/// the result of member 0 before the call; MPI leaves it undefined.
TUTTI_API tutti_status tutti_exscan(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                                    tutti_op op);

/// Copies `in` of member r to `out` of member r + distance (mod p); the distance may be negative.
TUTTI_API tutti_status tutti_shift(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                                   int distance);

// Collectives with irregular blocks take p counts, one per member in rank order.
//
// - Without displacements (NULL), blocks lie back to back. With displacements, block i starts
//   displacements[i] elements after the start of the buffer; blocks may be in any order and may leave gaps,
//   which are neither read nor written.
// - Blocks that are written must not overlap.
// - Either all members must pass displacements or none.
// - `n` is the length of the member's own block. It is ignored if that block lies in the whole buffer, in
//   place.
// - If a count differs from the length of the corresponding block, the member that detects it gets
//   TUTTI_MISMATCH_ERROR, and the others get TUTTI_ABORTED.

/// Reduce-scatter: the r-th count is the length of member r's block. `in` must have the sum of the counts,
/// and `block` this member's count. Every member must pass the same counts.
TUTTI_API tutti_status tutti_reduce_scatterv(tutti_member me, const void* in, void* block,
                                             const size_t counts[], tutti_type type, tutti_op op);

/// Allgather: every member must pass the same counts; displacements may differ between members.
TUTTI_API tutti_status tutti_allgatherv(tutti_member me, const void* block, size_t n, void* out,
                                        const size_t counts[], const size_t displacements[], tutti_type type);

/// Gather: only the root's counts and displacements are used, as in MPI; they may be NULL on other members.
/// With a member from tutti_counts_on_all(), every member passes the counts.
TUTTI_API tutti_status tutti_gatherv(tutti_member me, const void* block, size_t n, void* out,
                                     const size_t counts[], const size_t displacements[], tutti_type type,
                                     int root);

/// Scatter: only the root's counts and displacements are used, as in MPI; they may be NULL on other members.
/// With a member from tutti_counts_on_all(), every member passes the counts. Blocks of `in` may overlap.
TUTTI_API tutti_status tutti_scatterv(tutti_member me, const void* in, const size_t counts[],
                                      const size_t displacements[], void* block, size_t n, tutti_type type,
                                      int root);

/// All-to-all: every member passes its own counts of the elements that it sends to, and receives from, each
/// member. `in` and `out` must not overlap. In place, blocks are sent from where they are received, with the
/// same lengths, and the send counts and displacements are ignored.
TUTTI_API tutti_status tutti_alltoallv(tutti_member me, const void* in, const size_t send_counts[],
                                       const size_t send_displacements[], void* out,
                                       const size_t recv_counts[], const size_t recv_displacements[],
                                       tutti_type type);

// The exchange among neighbours (halo exchange), for members of groups and of clusters.

/// In a list of ranks: no neighbour. Its block has a place in the buffers, but is neither read nor written.
enum { TUTTI_NEIGHBOR_NONE = -1 };

/// Makes the neighbours of this member in a graph: it receives from `sources` and sends to `destinations`,
/// ranks or TUTTI_NEIGHBOR_NONE. Every member must call it, each with lists of its own, and both ends must
/// name an edge: see tutti::Member::neighbors(). The handle belongs to the member's rank in groups of that
/// size, and may outlive the group. It must be freed with tutti_neighbors_free().
TUTTI_API tutti_status tutti_neighbors_create(tutti_member me, const int sources[], size_t n_sources,
                                              const int destinations[], size_t n_destinations,
                                              tutti_neighbors** neighbors);

/// Makes the neighbours of this member in a grid of dims[0] x dims[1] x ... members, of which dimension i
/// wraps around if wraps[i] is not 0. They are -x, +x, -y, +y, and so on, in the order of MPI: see
/// tutti::Member::grid(). The call is local.
TUTTI_API tutti_status tutti_neighbors_grid(tutti_member me, const int dims[], const int wraps[],
                                            size_t n_dims, tutti_neighbors** neighbors);

/// Sets *ranks and *n to the list of the ranks from which the member receives, or to which it sends. The list
/// is valid until the handle is freed.
TUTTI_API tutti_status tutti_neighbors_sources(const tutti_neighbors* neighbors, const int** ranks,
                                               size_t* n);
TUTTI_API tutti_status tutti_neighbors_destinations(const tutti_neighbors* neighbors, const int** ranks,
                                                    size_t* n);

/// Frees the handle. Outstanding and persistent calls keep what they need. NULL is ignored.
TUTTI_API tutti_status tutti_neighbors_free(tutti_neighbors* neighbors);

/// Elements k n .. k n + n - 1 of `in` are sent to destination k, and those of `out` are received from source
/// k. All members must pass the same graph and the same n. `in` and `out` must not overlap. See
/// tutti::Member::neighbor_alltoall().
TUTTI_API tutti_status tutti_neighbor_alltoall(tutti_member me, const tutti_neighbors* neighbors,
                                               const void* in, void* out, size_t n, tutti_type type);

/// The same with blocks of any lengths and places: one count, and one displacement unless NULL, per
/// destination to send and per source to receive. `in` and `out` may be the same buffer if no block that is
/// received overlaps one that is sent. If the lengths of two neighbours differ, the receiver gets
/// TUTTI_MISMATCH_ERROR, and the others get TUTTI_ABORTED.
TUTTI_API tutti_status tutti_neighbor_alltoallv(tutti_member me, const tutti_neighbors* neighbors,
                                                const void* in, const size_t send_counts[],
                                                const size_t send_displacements[], void* out,
                                                const size_t recv_counts[], const size_t recv_displacements[],
                                                tutti_type type);

// Sums with the same bits for every number of members, and for every division and order of the terms. `type`
// is TUTTI_DOUBLE or TUTTI_FLOAT. Members may have different n, also 0. `me` must be a member that
// blocks.

/// *result = the sum of the terms of all members: see tutti::reproducible_sum().
TUTTI_API tutti_status tutti_reproducible_sum(tutti_member me, const void* terms, size_t n, tutti_type type,
                                              void* result);

/// *result = the sum of a[i] * b[i] over the elements of all members: see tutti::reproducible_dot().
TUTTI_API tutti_status tutti_reproducible_dot(tutti_member me, const void* a, const void* b, size_t n,
                                              tutti_type type, void* result);

/// *result = the Euclidean norm of the elements of all members: see tutti::reproducible_norm2().
TUTTI_API tutti_status tutti_reproducible_norm2(tutti_member me, const void* x, size_t n, tutti_type type,
                                                void* result);

/// inout[i] = in[i] op inout[i], by the calling thread alone.
TUTTI_API tutti_status tutti_reduce_local(const void* in, void* inout, size_t n, tutti_type type,
                                          tutti_op op);

// Requests. Only the thread that started an operation may use its request. Any thread may use a request of an
// async group. Functions that test or wait, and blocking calls that wait, make progress with all outstanding
// operations of their thread.
//
// A request becomes TUTTI_REQUEST_NULL when its operation has been waited for or found complete, even if it
// failed. Copies of the request must not be used from then on. The request of a persistent call stays valid
// until it is freed. If the library rejects the use of a request, for example by another thread or inside an
// operator, it returns TUTTI_ERROR and leaves the request unchanged.

/// Makes progress, without blocking, with all outstanding operations of the calling thread in groups and
/// clusters, and calls the functions of tutti_then() that are due. An operation of an async group is complete
/// when all ranks have made the call and needs no progress. Failures are reported by the requests.
TUTTI_API tutti_status tutti_progress(void);

/// Returns when the operation is complete.
TUTTI_API tutti_status tutti_wait(tutti_request* request);

/// Makes progress without blocking, and sets *done to whether the operation is complete or has failed.
TUTTI_API tutti_status tutti_test(tutti_request* request, int* done);

/// Like tutti_wait(), for at most so many milliseconds: sets *done to whether the operation is complete or
/// has failed. TUTTI_NEVER waits until it is. If `milliseconds` is 0 or negative, the function is
/// tutti_test(). The operation continues when the time is over, which is no failure. See tutti::Request and
/// tutti::AsyncRequest.
TUTTI_API tutti_status tutti_wait_for(tutti_request* request, int64_t milliseconds, int* done);

/// Waits for all operations. Returns the status of the first request that failed, or TUTTI_OK.
TUTTI_API tutti_status tutti_wait_all(tutti_request requests[], size_t n);

/// Makes progress without blocking, and sets *done to whether all operations are complete or have failed. If
/// so, it is tutti_wait_all(): also if all requests are TUTTI_REQUEST_NULL. Otherwise all requests are
/// unchanged.
TUTTI_API tutti_status tutti_test_all(tutti_request requests[], size_t n, int* done);

/// Waits for one operation, sets *index to its index, and sets its request to TUTTI_REQUEST_NULL. Requests
/// that are TUTTI_REQUEST_NULL are skipped; if all are, *index is n. Persistent calls and requests of
/// async groups are not supported.
TUTTI_API tutti_status tutti_wait_any(tutti_request requests[], size_t n, size_t* index);

/// Makes progress without blocking. If an operation is complete or has failed, sets *done to 1, *index to its
/// index, and its request to TUTTI_REQUEST_NULL. Otherwise sets *done to 0 and *index to n. If all requests
/// are TUTTI_REQUEST_NULL, sets *done to 1 and *index to n. Persistent calls are not supported.
TUTTI_API tutti_status tutti_test_any(tutti_request requests[], size_t n, size_t* index, int* done);

/// `status` is TUTTI_OK if the operation is complete, or else the reason why it has failed, whose text
/// tutti_error_text() returns until the next failure on the thread.
typedef void (*tutti_then_function)(tutti_status status, void* user);

/// Calls function(status, user) once when the operation is complete or has failed, on the thread that
/// completes it: inside its next test or wait, at the end of a blocking call, or when the request is freed;
/// at once if the operation is already over. For an async group this is usually another thread. The function
/// may make any calls. If the call itself could not be made, tutti_then() returns TUTTI_ARGUMENT_ERROR and
/// calls nothing.
TUTTI_API tutti_status tutti_then(tutti_request* request, tutti_then_function function, void* user);

/// Starts a persistent call, for the first time or again. Returns TUTTI_ERROR if it is outstanding or its
/// member has left.
TUTTI_API tutti_status tutti_start(tutti_request* request);

/// Frees a request or a persistent call. Waits for the operation, except for an operation of an async group;
/// the next call reports a failure. NULL and TUTTI_REQUEST_NULL are ignored.
TUTTI_API tutti_status tutti_request_free(tutti_request* request);

// Groups of threads that exist already.

/// How a member waits for another member: see tutti::Wait.
enum { TUTTI_WAIT_AUTOMATIC = 0, TUTTI_WAIT_SPIN = 1, TUTTI_WAIT_YIELD = 2, TUTTI_WAIT_SLEEP = 3 };

/// The amount of recording: see tutti::Trace.
enum { TUTTI_TRACE_OFF = 0, TUTTI_TRACE_OPERATIONS = 2, TUTTI_TRACE_STEPS = 3 };

/// Options of a group: see tutti::GroupOptions. Initialise it with TUTTI_GROUP_OPTIONS_INIT.
typedef struct tutti_group_options {
    /// The size of this struct, set by TUTTI_GROUP_OPTIONS_INIT.
    size_t size;
    /// One of TUTTI_WAIT_AUTOMATIC, _SPIN, _YIELD and _SLEEP.
    int wait;
    /// Whether the group tries algorithms: "on", "off", or a file written by tutti_save_tuning(). NULL: the
    /// environment variable TUTTI_TUNING, or else as "on". See tutti::GroupOptions::tuning.
    const char* tuning;
    /// Milliseconds after which members that wait for ranks that have never been joined get a TUTTI_ERROR
    /// that names these ranks, or TUTTI_NEVER. TUTTI_TIMEOUT_DEFAULT: 10 minutes.
    int64_t join_timeout_ms;
    /// Milliseconds after which a waiting call ends with TUTTI_TIMEOUT_ERROR, or TUTTI_NEVER.
    /// TUTTI_TIMEOUT_DEFAULT: as tutti::GroupOptions::timeout.
    int64_t timeout_ms;
    /// Milliseconds after which a waiting member logs, once, which members are late, or TUTTI_NEVER.
    /// TUTTI_TIMEOUT_DEFAULT: 60 s.
    int64_t report_after_ms;
    /// The levels of the machine, outermost first: the number of equal groups of consecutive ranks into which
    /// each group of the level before is divided. NULL: the levels follow from where members are pinned.
    const int* levels;
    /// The number of levels.
    size_t level_count;
    /// One of TUTTI_TRACE_OFF, _OPERATIONS and _STEPS.
    int trace;
} tutti_group_options;
#define TUTTI_GROUP_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(tutti_group_options), TUTTI_WAIT_AUTOMATIC, 0, TUTTI_TIMEOUT_DEFAULT, TUTTI_TIMEOUT_DEFAULT,  \
            TUTTI_TIMEOUT_DEFAULT, 0, 0, TUTTI_TRACE_OFF                                                     \
    }

/// Makes a group of 1 .. 65535 members. `options` may be NULL.
TUTTI_API tutti_status tutti_group_create(int members, const tutti_group_options* options,
                                          tutti_group** group);

/// Ends the handle, which must not be used any more. Members that have joined may still make calls and leave.
/// NULL is ignored.
TUTTI_API tutti_status tutti_group_free(tutti_group* group);

TUTTI_API tutti_status tutti_group_size(const tutti_group* group, int* size);

/// Replaces the timeout of the group for waits that begin from now on, of all members: milliseconds, or
/// TUTTI_NEVER, or TUTTI_TIMEOUT_DEFAULT. Groups that have been made from this one keep theirs. Any thread
/// may call it at any time.
TUTTI_API tutti_status tutti_group_set_timeout(tutti_group* group, int64_t milliseconds);

/// The format of a roll call: see tutti::RollCallFormat.
enum { TUTTI_ROLL_CALL_TEXT = 0, TUTTI_ROLL_CALL_JSON = 1 };
/// A report of where every member is, as tutti::Group::roll_call(). Any thread may call it at any time.
/// Writes as much of the text as fits into `bytes` bytes, including the terminating 0. If `length` is not
/// NULL, sets *length to the length of the whole text without the 0. Each call makes a new report, which may
/// be longer than the one before.
TUTTI_API tutti_status tutti_group_roll_call(const tutti_group* group, int format, char* text, size_t bytes,
                                             size_t* length);

/// The format of a trace: see tutti::TraceFormat.
enum { TUTTI_TRACE_JSON_LINES = 0, TUTTI_TRACE_PERFETTO = 1 };

/// The last operations of the members, as tutti::Group::trace(), written as tutti_group_roll_call() does. For
/// Perfetto, `text` receives bytes that include zeros. Returns TUTTI_ERROR if operations are not recorded.
TUTTI_API tutti_status tutti_group_trace(const tutti_group* group, int format, char* text, size_t bytes,
                                         size_t* length);

/// Joins the group as `rank` on the calling thread; the thread makes its calls as *me until tutti_leave().
/// Every rank must be joined exactly once per parallel region. Returns TUTTI_ABORTED if the group has
/// failed: make a new one. On failure *me has size 0, and must not be used for calls.
TUTTI_API tutti_status tutti_join(tutti_group* group, int rank, tutti_member* me);

/// Leaves the group, after the member's outstanding operations have completed. A member that has failed must
/// leave as well; if other members may be waiting for it, it must call tutti_abort() first. A member of size
/// 0, as from tutti_split(), is rejected, because it has nothing to leave.
TUTTI_API tutti_status tutti_leave(tutti_member me);

/// Ends the calls of all other members with TUTTI_ABORTED, whose text contains `text`. If that is NULL or
/// empty, a text that names abort() replaces it. A member that cannot continue must call this before it
/// leaves. The group stays failed: make a new one.
TUTTI_API tutti_status tutti_abort(tutti_member me, const char* text);

/// The CPU on which the calling thread, a member's, runs now; -1 if the system does not report it.
TUTTI_API tutti_status tutti_cpu(tutti_member me, int* cpu);

/// The code of one member. It returns TUTTI_OK, or a tutti_status if it has failed, which ends the other
/// members' calls with TUTTI_ABORTED.
typedef tutti_status (*tutti_member_function)(tutti_member me, void* user);

/// Joins, calls function(me, user) and leaves. Returns what the function returns. If this is the status of
/// calls that have failed in the function, tutti_error_text() describes the last of them. Later failures with
/// other statuses do not replace it.
TUTTI_API tutti_status tutti_group_run(tutti_group* group, int rank, tutti_member_function function,
                                       void* user);

/// Divides the group: members that pass the same `color` form a new group, ranked by `key` and then by their
/// rank here. *part is this thread's member of it, of size 0 if its color is negative. Every member must call
/// it. A *part of another size must be given back with tutti_leave(), as must the members that
/// tutti_split_by_level(), tutti_subset(), tutti_dup() and tutti_among() make.
TUTTI_API tutti_status tutti_split(tutti_member me, int color, int key, tutti_member* part);

/// The levels of a machine: see tutti::Level.
enum {
    TUTTI_LEVEL_SOCKET = 0,
    TUTTI_LEVEL_NUMA_NODE = 1,
    TUTTI_LEVEL_L3 = 2,
    TUTTI_LEVEL_L2 = 3,
    TUTTI_LEVEL_CORE = 4
};

/// Divides the group by the machine: the members that run in the same part of that level (TUTTI_LEVEL_...) at
/// the time of the call form a new group, ranked by their rank here. Members whose part the machine does not
/// report form one group. Every member must call it with the same level. See tutti::Member::split().
TUTTI_API tutti_status tutti_split_by_level(tutti_member me, int level, tutti_member* part);

/// Makes a group of the `n` members in `ranks`, ranked by their position in that list. Every member must call
/// it with the same list. *part has size 0 if this member is not in the list.
TUTTI_API tutti_status tutti_subset(tutti_member me, const int ranks[], size_t n, tutti_member* part);

/// Makes a new group of the same members with the same ranks. Every member must call it.
TUTTI_API tutti_status tutti_dup(tutti_member me, tutti_member* copy);

/// The group of the `count` members with the ranks first, first + stride, and so on, ranked in this order:
/// for calls by fewer members, tutti_among(me, n, 0, 1, &part) on the members below rank n. Only its members
/// call it, none waits for another, and nothing is allocated after the first time. The group is part of this
/// one, with which it fails. *part must be given back before `me`. See tutti::Member::among(); here, members
/// are entered in a list of the process, under a lock.
TUTTI_API tutti_status tutti_among(tutti_member me, int count, int first, int stride, tutti_member* part);

// Teams, which have their own threads.

/// Options of a team: see tutti::TeamOptions. Initialise it with TUTTI_TEAM_OPTIONS_INIT.
typedef struct tutti_team_options {
    /// The size of this struct, set by TUTTI_TEAM_OPTIONS_INIT.
    size_t size;
    /// If not 0, the thread that calls tutti_team_run() is member 0.
    int caller_is_member;
    /// The CPUs to which members are pinned, as tutti::Placement::parse() reads them; NULL: "compact".
    const char* placement;
    /// Options of the team's group, or NULL.
    const tutti_group_options* group;
} tutti_team_options;
#define TUTTI_TEAM_OPTIONS_INIT                                                                              \
    { sizeof(tutti_team_options), 0, 0, 0 }

/// As many members as a tutti::Team without a number has: at most one per allowed CPU, or per entry of a
/// list.
enum { TUTTI_ONE_PER_CPU = 0 };

/// Starts the threads of 1 .. 65535 members, or of TUTTI_ONE_PER_CPU. `options` may be NULL.
TUTTI_API tutti_status tutti_team_create(int members, const tutti_team_options* options, tutti_team** team);

/// Ends the threads, after a run in progress has ended. NULL is ignored.
TUTTI_API tutti_status tutti_team_free(tutti_team* team);

TUTTI_API tutti_status tutti_team_size(const tutti_team* team, int* size);

/// Writes the CPU to which each member is pinned, by rank, and -1 for a member that is not pinned. `cpus` has
/// one element per member.
TUTTI_API tutti_status tutti_team_cpus(const tutti_team* team, int cpus[]);

/// See tutti_group_set_timeout(), tutti_group_roll_call() and tutti_group_trace().
TUTTI_API tutti_status tutti_team_set_timeout(tutti_team* team, int64_t milliseconds);
TUTTI_API tutti_status tutti_team_roll_call(const tutti_team* team, int format, char* text, size_t bytes,
                                            size_t* length);
TUTTI_API tutti_status tutti_team_trace(const tutti_team* team, int format, char* text, size_t bytes,
                                        size_t* length);

/// Calls function(me, user) once on every member's thread, and returns when all have returned. Returns the
/// status of the first member that failed by itself, or TUTTI_OK. `me` is valid until its function returns.
/// The team can be used again afterwards.
TUTTI_API tutti_status tutti_team_run(tutti_team* team, tutti_member_function function, void* user);

// AsyncGroup: collectives among ranks that are not bound to threads. See tutti::AsyncGroup.

/// Must run tutti_task_run(task, 0) .. tutti_task_run(task, count - 1), each exactly once, on any threads,
/// before it returns or later, as a thread pool does for a loop. If it returns anything but TUTTI_OK, the
/// operation fails and it must not start further tasks. A task that is run again does nothing and returns
/// TUTTI_ARGUMENT_ERROR.
typedef tutti_status (*tutti_executor)(void* user, size_t count, tutti_task* task);
TUTTI_API tutti_status tutti_task_run(tutti_task* task, size_t i);

/// Options of an async group: see tutti::AsyncGroupOptions. Initialise it with
/// TUTTI_ASYNC_GROUP_OPTIONS_INIT.
typedef struct tutti_async_group_options {
    /// The size of this struct, set by TUTTI_ASYNC_GROUP_OPTIONS_INIT.
    size_t size;
    /// Runs parts of large operations on other threads. NULL: the last rank to arrive does all of the work.
    tutti_executor executor;
    /// The first argument of the executor.
    void* user;
    /// Bytes that a task touches; 0: the library chooses.
    size_t slice_bytes;
    /// Milliseconds after which a wait for ranks that have not arrived ends the operation with
    /// TUTTI_TIMEOUT_ERROR for all ranks, or TUTTI_NEVER. TUTTI_TIMEOUT_DEFAULT: as for a group.
    int64_t timeout_ms;
} tutti_async_group_options;
#define TUTTI_ASYNC_GROUP_OPTIONS_INIT                                                                       \
    { sizeof(tutti_async_group_options), 0, 0, 0, TUTTI_TIMEOUT_DEFAULT }

/// Makes an async group of 1 .. 65535 ranks. `options` may be NULL.
TUTTI_API tutti_status tutti_async_group_create(int ranks, const tutti_async_group_options* options,
                                                tutti_async_group** async_group);

/// Completes the operations that an executor is still running. Requests of operations at which ranks are
/// missing fail with TUTTI_ERROR. NULL is ignored.
TUTTI_API tutti_status tutti_async_group_free(tutti_async_group* async_group);

TUTTI_API tutti_status tutti_async_group_size(const tutti_async_group* async_group, int* size);

/// See tutti_group_roll_call().
TUTTI_API tutti_status tutti_async_group_roll_call(const tutti_async_group* async_group, int format,
                                                   char* text, size_t bytes, size_t* length);

#ifdef __cplusplus
}
#endif

// Each call passes the line on which it is written: see tutti_at(). Inside a macro, its own name is the
// function.
#ifndef TUTTI_NO_SOURCE_LINES
#define tutti_barrier(...) tutti_barrier(tutti_at(__VA_ARGS__, __FILE__, __LINE__))
#define tutti_broadcast(me, ...) tutti_broadcast(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reduce(me, ...) tutti_reduce(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_allreduce(me, ...) tutti_allreduce(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reduce_scatter(me, ...) tutti_reduce_scatter(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_allgather(me, ...) tutti_allgather(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_gather(me, ...) tutti_gather(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_scatter(me, ...) tutti_scatter(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_alltoall(me, ...) tutti_alltoall(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_scan(me, ...) tutti_scan(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_exscan(me, ...) tutti_exscan(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_shift(me, ...) tutti_shift(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reproducible_sum(me, ...) tutti_reproducible_sum(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reproducible_dot(me, ...) tutti_reproducible_dot(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reproducible_norm2(me, ...)                                                                    \
    tutti_reproducible_norm2(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_reduce_scatterv(me, ...) tutti_reduce_scatterv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_allgatherv(me, ...) tutti_allgatherv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_gatherv(me, ...) tutti_gatherv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_scatterv(me, ...) tutti_scatterv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_alltoallv(me, ...) tutti_alltoallv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_neighbors_create(me, ...) tutti_neighbors_create(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_neighbor_alltoall(me, ...)                                                                     \
    tutti_neighbor_alltoall(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_neighbor_alltoallv(me, ...)                                                                    \
    tutti_neighbor_alltoallv(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_split(me, ...) tutti_split(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_split_by_level(me, ...) tutti_split_by_level(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_subset(me, ...) tutti_subset(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_dup(me, ...) tutti_dup(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#define tutti_among(me, ...) tutti_among(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__)
#endif
