// Fortran's arrays, and the errors about them.

#include "fortran/src/arrays.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tutti_f_in_place = 0;

/// The last failure, if this interface has found it: a sentence, which may contain the path of a file. Empty
/// if the interface for C has the failure.
static _Thread_local char own_text[PATH_MAX + 256];

tutti_status tutti_f_note(tutti_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own_text, sizeof own_text, format, arguments);
    va_end(arguments);
    return status;
}

tutti_status tutti_f_noted(tutti_status status) {
    if (status != TUTTI_OK) {
        own_text[0] = 0;
    }
    return status;
}

static const char* last_text(void) {
    return own_text[0] != 0 ? own_text : tutti_error_text();
}

void tutti_f_finish(tutti_status status, int* ierr) {
    if (ierr != NULL) {
        *ierr = status;
    } else if (status != TUTTI_OK) {
        fflush(NULL);
        fprintf(stderr, "ERROR STOP tutti: %s\n", last_text());
        exit(1);
    }
}

void tutti_f_forward(tutti_status status, int* ierr) {
    tutti_f_finish(tutti_f_noted(status), ierr);
}

void* tutti_f_taken(void** handle) {
    void* const taken = *handle;
    *handle = NULL;
    return taken;
}

char* tutti_f_text(const CFI_cdesc_t* text) {
    const char* const from = text->base_addr;
    size_t length = from != NULL ? text->elem_len : 0;
    while (length != 0 && from[length - 1] == ' ') {
        --length;
    }
    char* const copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, from != NULL ? from : "", length);
        copy[length] = 0;
    }
    return copy;
}

/// Copies a text and fills the rest with blanks, if the program passes a place for it.
static void give_text(const char* from, const CFI_cdesc_t* text) {
    const size_t length = strlen(from);
    if (text->base_addr != NULL) {
        memset(text->base_addr, ' ', text->elem_len);
        memcpy(text->base_addr, from, length < text->elem_len ? length : text->elem_len);
    }
}

void tutti_f_error_text(CFI_cdesc_t* text) {
    give_text(last_text(), text);
}

size_t tutti_f_error_length(void) {
    return strlen(last_text());
}

void tutti_f_last_error(int* rank, int* peer, int64_t* operation, const CFI_cdesc_t* collective) {
    tutti_error_info info = TUTTI_ERROR_INFO_INIT;
    if (own_text[0] == 0) {
        tutti_last_error(&info);
    }
    *rank = info.rank;
    *peer = info.peer;
    if (operation != NULL) {
        *operation = (int64_t)info.operation;
    }
    if (collective != NULL) {
        give_text(info.collective != NULL ? info.collective : "", collective);
    }
}

size_t tutti_f_status_length(int status) {
    return strlen(tutti_status_text(status));
}

void tutti_f_status_text(int status, const CFI_cdesc_t* text) {
    give_text(tutti_status_text(status), text);
}

int tutti_f_version(void) {
    return tutti_version();
}

/// The type of the elements: a type of their size if the library has none for them; 0 if elements have no
/// bytes.
static tutti_type type_of(const CFI_cdesc_t* array) {
    // The last ones may be no types of the compiler, or equal to others.
    static const CFI_type_t fortran[] = {
        CFI_type_int8_t,      CFI_type_int16_t, CFI_type_int32_t,       CFI_type_int64_t,
        CFI_type_float,       CFI_type_double,  CFI_type_float_Complex, CFI_type_double_Complex,
        CFI_type_long_double, CFI_type_int128_t};
    static const tutti_type types[] = {
        TUTTI_INT8,   TUTTI_INT16,         TUTTI_INT32,          TUTTI_INT64,       TUTTI_FLOAT,
        TUTTI_DOUBLE, TUTTI_FLOAT_COMPLEX, TUTTI_DOUBLE_COMPLEX, TUTTI_LONG_DOUBLE, TUTTI_INT128};
    for (size_t i = 0; i < sizeof fortran / sizeof fortran[0]; ++i) {
        if (fortran[i] == array->type) {
            return types[i];
        }
    }
    return tutti_type_of_size(array->elem_len);
}

struct array {
    const char* name;
    void* data;
    size_t n;
    tutti_type type;
};

/// Without an address only an extent of 0 distinguishes an array of no elements from an array that is not
/// allocated, whose extents are meaningless.
static int is_empty(const CFI_cdesc_t* array) {
    for (int i = 0; i < array->rank; ++i) {
        if (array->dim[i].extent == 0) {
            return 1;
        }
    }
    return 0;
}

static tutti_status take(const char* function, const char* name, const CFI_cdesc_t* given,
                         struct array* taken) {
    *taken = (struct array){name, given->base_addr, 1, type_of(given)};
    if (taken->data == &tutti_f_in_place) {
        return REFUSED("%s: `%s` is TUTTI_IN_PLACE, which only what a call reads can be", function, name);
    }
    if (taken->data == NULL && !is_empty(given)) {
        return REFUSED("%s: `%s` is not allocated, or an argument that is absent", function, name);
    }
    if (given->type == CFI_type_other) {
        return REFUSED("%s: `%s` is polymorphic: pass it inside `select type`", function, name);
    }
    if (taken->type == 0) {
        return REFUSED("%s: `%s` has elements of 0 bytes", function, name);
    }
    for (int i = 0; i < given->rank; ++i) {
        if (given->dim[i].extent < 0) {
            return REFUSED("%s: `%s` is of assumed size: pass a section of it", function, name);
        }
        taken->n *= (size_t)given->dim[i].extent;
    }
    if (taken->n > 1 && CFI_is_contiguous(given) == 0) {
        return REFUSED("%s: `%s` is not contiguous: pass a copy", function, name);
    }
    return TUTTI_OK;
}

tutti_status tutti_f_one(const char* function, const char* name, const CFI_cdesc_t* array,
                         struct tutti_f_vectors* v) {
    struct array taken;
    const tutti_status status = take(function, name, array, &taken);
    *v = (struct tutti_f_vectors){taken.data, taken.data, taken.n, taken.type};
    return status;
}

/// Checks that an array has `blocks` times n elements, or any number if it is not used.
static tutti_status check_number(const char* function, const struct array* array, size_t blocks, size_t n) {
    if (blocks == 0 || array->n == blocks * n) {
        return TUTTI_OK;
    }
    return REFUSED("%s: `%s` has %zu element%s, must have %zu", function, array->name, array->n,
                   array->n == 1 ? "" : "s", blocks * n);
}

/// Computes n for an array that must have `blocks` times so many elements.
static tutti_status divide(const char* function, const struct array* array, size_t blocks, size_t* n) {
    *n = array->n / blocks;
    if (array->n % blocks != 0) {
        return REFUSED("%s: `%s` has %zu element%s, which cannot be divided into %zu equal blocks", function,
                       array->name, array->n, array->n == 1 ? "" : "s", blocks);
    }
    return TUTTI_OK;
}

tutti_status tutti_f_two(const char* function, const char* in_name, const CFI_cdesc_t* in, size_t in_blocks,
                         const char* out_name, const CFI_cdesc_t* out, size_t out_blocks,
                         struct tutti_f_vectors* v) {
    struct array to = {out_name, NULL, 0, 0};
    struct array from = {in_name, NULL, 0, 0};
    const int in_place = in->base_addr == &tutti_f_in_place;
    tutti_status status = TUTTI_OK;
    *v = (struct tutti_f_vectors){in_place ? TUTTI_IN_PLACE : in->base_addr, out->base_addr, 0, 0};
    if (in_place) {
        status = take(function, out_name, out, &to);
        v->type = to.type;
        return status != TUTTI_OK
                   ? status
                   : divide(function, &to, in_blocks > out_blocks ? in_blocks : out_blocks, &v->n);
    }
    const int needs_in = in_blocks != 0;
    const int needs_out = out_blocks != 0;
    if (needs_in) {
        status = take(function, in_name, in, &from);
        v->type = from.type;
    }
    if (needs_out && status == TUTTI_OK) {
        status = take(function, out_name, out, &to);
        v->type = to.type;
    }
    if (status == TUTTI_OK && needs_in && needs_out && from.type != to.type) {
        return REFUSED("%s: `%s` and `%s` are of different types", function, in_name, out_name);
    }
    if (status != TUTTI_OK) {
        return status;
    }
    // The buffer of one block determines the length of a block.
    const int in_says = needs_in && (in_blocks == 1 || out_blocks != 1);
    status = in_says ? divide(function, &from, in_blocks, &v->n) : divide(function, &to, out_blocks, &v->n);
    if (status == TUTTI_OK && needs_in) {
        status = check_number(function, &from, in_blocks, v->n);
    }
    return status != TUTTI_OK || !needs_out ? status : check_number(function, &to, out_blocks, v->n);
}

static int is_logical(const CFI_cdesc_t* array) {
#ifdef CFI_type_Logical // gfortran's, of any kind
    return (array->type & CFI_type_mask) == CFI_type_Logical;
#else
    return array->type == CFI_type_Bool;
#endif
}

/// Columns of two numbers, as in MPI_2REAL.
static tutti_status take_pairs(const char* function, const CFI_cdesc_t* array, struct tutti_f_vectors* v) {
    static const tutti_type pairs[][2] = {{TUTTI_INT32, TUTTI_2INT},
                                          {TUTTI_INT64, TUTTI_2INT64},
                                          {TUTTI_FLOAT, TUTTI_2FLOAT},
                                          {TUTTI_DOUBLE, TUTTI_2DOUBLE}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        if (v->type == pairs[i][0] && array->rank != 0 && array->dim[0].extent == 2 && v->n % 2 == 0) {
            v->type = pairs[i][1];
            v->n /= 2;
            return TUTTI_OK;
        }
    }
    return REFUSED("%s: operators for pairs, such as TUTTI_MINLOC, need arrays of integer(4,8) or "
                   "real(4,8) whose first extent is 2",
                   function);
}

tutti_status tutti_f_combines(const char* function, const CFI_cdesc_t* in, const CFI_cdesc_t* out,
                              tutti_op op, struct tutti_f_vectors* v) {
    const CFI_cdesc_t* const array = in->base_addr == &tutti_f_in_place ? out : in;
    if (op >= TUTTI_MINLOC && op <= TUTTI_MAXLOC) {
        return take_pairs(function, array, v);
    }
    if (op >= TUTTI_LAND && op <= TUTTI_LXOR && is_logical(array)) {
        static const tutti_type integers[] = {TUTTI_INT8, TUTTI_INT16, TUTTI_INT32, TUTTI_INT64,
                                              TUTTI_INT128};
        v->type = integers[__builtin_ctzll(array->elem_len)];
        return TUTTI_OK;
    }
    if (v->type <= TUTTI_DOUBLE_COMPLEX || v->type == TUTTI_LONG_DOUBLE || v->type == TUTTI_INT128 ||
        op < TUTTI_SUM || op > TUTTI_BXOR) {
        return TUTTI_OK;
    }
    return REFUSED("%s: operators are for integer(1,2,4,8,16), real(4,8,10) and complex(4,8), and "
                   "TUTTI_LAND, TUTTI_LOR and TUTTI_LXOR for logical: other types need one of "
                   "tutti_op_create()",
                   function);
}

tutti_status tutti_f_numbers(const char* function, const char* name, const CFI_cdesc_t* array, size_t count,
                             size_t** numbers) {
    struct array taken;
    *numbers = NULL;
    if (array == NULL) {
        return TUTTI_OK;
    }
    const tutti_status status = take(function, name, array, &taken);
    if (status != TUTTI_OK) {
        return status;
    }
    if (taken.n != count || (taken.type != TUTTI_INT32 && taken.type != TUTTI_INT64)) {
        return REFUSED("%s: `%s` must be %zu numbers of integer(4) or integer(8)", function, name, count);
    }
    *numbers = malloc((count + 1) * sizeof(size_t)); // also of no numbers
    if (*numbers == NULL) {
        return tutti_f_note(TUTTI_NO_MEMORY, "%s: out of memory", function);
    }
    for (size_t i = 0; i < count; ++i) {
        const int64_t number =
            taken.type == TUTTI_INT32 ? ((const int32_t*)taken.data)[i] : ((const int64_t*)taken.data)[i];
        if (number < 0) {
            return REFUSED("%s: `%s` has %lld as a number of elements", function, name, (long long)number);
        }
        (*numbers)[i] = (size_t)number;
    }
    return TUTTI_OK;
}

int* tutti_f_list(const CFI_cdesc_t* array) {
    const size_t n = (size_t)array->dim[0].extent;
    int* const list = malloc((n + 1) * sizeof(int));
    for (size_t i = 0; list != NULL && i < n; ++i) {
        memcpy(&list[i], (const char*)array->base_addr + (ptrdiff_t)i * array->dim[0].sm, sizeof(int));
    }
    return list;
}

int* tutti_f_truths(const char* function, const char* name, const CFI_cdesc_t* array, size_t count,
                    tutti_status* status) {
    struct array taken;
    *status = take(function, name, array, &taken);
    if (*status == TUTTI_OK && (taken.n != count || !is_logical(array))) {
        *status = REFUSED("%s: `%s` must be %zu elements of logical", function, name, count);
    }
    int* const truths = *status == TUTTI_OK ? calloc(count + 1, sizeof(int)) : NULL;
    if (*status == TUTTI_OK && truths == NULL) {
        *status = tutti_f_note(TUTTI_NO_MEMORY, "%s: out of memory", function);
    }
    for (size_t byte = 0; truths != NULL && byte < count * array->elem_len; ++byte) {
        truths[byte / array->elem_len] |= ((const char*)taken.data)[byte];
    }
    return truths;
}
