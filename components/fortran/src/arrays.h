#pragma once

#include <tutti/tutti.h>

#include <ISO_Fortran_binding.h>

/// Two vectors, of which `in` may be TUTTI_IN_PLACE, in the terms of the interface for C.
struct tutti_f_vectors {
    const void* in;
    void* out;
    size_t n;
    tutti_type type;
};

/// The place of a member: at the root or not, among so many.
struct tutti_f_place {
    int is_root;
    int has_counts_on_all;
    size_t members;
};

/// The variable of the module that stands for TUTTI_IN_PLACE.
extern int tutti_f_in_place;

/// Keeps the text of what a function of the interface for C has returned, and hands it to the program. The
/// module tutti_mpi calls it.
void tutti_f_forward(tutti_status status, int* ierr);

#pragma GCC visibility push(hidden)

/// Begins a call.
tutti_status tutti_f_begin(const char* function, const tutti_member* me, int root,
                           struct tutti_f_place* place);

/// One array, of which all elements are meant.
tutti_status tutti_f_one(const char* function, const char* name, const CFI_cdesc_t* array,
                         struct tutti_f_vectors* v);

/// Two arrays that are to have `in_blocks` and `out_blocks` times n elements; 0 is one at which nobody looks.
/// In place the second has the more of both. Finds n.
tutti_status tutti_f_two(const char* function, const char* in_name, const CFI_cdesc_t* in, size_t in_blocks,
                         const char* out_name, const CFI_cdesc_t* out, size_t out_blocks,
                         struct tutti_f_vectors* v);

/// Checks that an operator of the library is for the elements of the array that is read: `in`, or `out` if
/// the call is in place. Arrays of logical are then those of integers, and arrays whose first extent is 2 are
/// pairs for the operators that need these. Any type may have an operator of the program's own.
tutti_status tutti_f_combines(const char* function, const CFI_cdesc_t* in, const CFI_cdesc_t* out,
                              tutti_op op, struct tutti_f_vectors* v);

/// `counts` numbers of integer(4) or integer(8), none of them negative, into memory to be freed. NULL, in
/// *numbers, for an argument that is absent.
tutti_status tutti_f_numbers(const char* function, const char* name, const CFI_cdesc_t* array, size_t count,
                             size_t** numbers);

/// The elements of an array of one dimension, to be freed; NULL if there is no memory.
int* tutti_f_list(const CFI_cdesc_t* array);
/// `count` logicals of any kind, to be freed: not 0 for true. NULL if *status is not TUTTI_OK.
int* tutti_f_truths(const char* function, const char* name, const CFI_cdesc_t* array, size_t count,
                    tutti_status* status);

/// Keeps a text of this interface for tutti_f_error_text(), and returns `status`.
tutti_status tutti_f_note(tutti_status status, const char* format, ...) __attribute__((format(printf, 2, 3)));
#define REFUSED(...) tutti_f_note(TUTTI_ARGUMENT_ERROR, __VA_ARGS__)
/// The same for the status that a function of the interface for C has returned, which keeps its text itself.
tutti_status tutti_f_noted(tutti_status status);

/// Returns a status to the program, or stops it if it passes no place for a failure.
void tutti_f_finish(tutti_status status, int* ierr);
/// Ends a function of the module with a call of the interface for C, if all was well before it.
#define FINISH(status, call) tutti_f_finish((status) != TUTTI_OK ? (status) : tutti_f_noted(call), ierr)

/// A handle, in whose place there is none any more.
void* tutti_f_taken(void** handle);

/// Fortran's text as C's, without blanks at its end, in memory to be freed; NULL if there is none.
char* tutti_f_text(const CFI_cdesc_t* text);

#pragma GCC visibility pop
