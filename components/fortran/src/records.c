// The records of a group, written to files: Fortran has no text whose length the callee determines.

#include "fortran/src/arrays.h"

#include <tutti/tutti.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Asks for a text as tutti_group_roll_call() writes it; `what` is passed on.
typedef tutti_status (*asker)(const tutti_group* group, const void* what, char* text, size_t bytes,
                              size_t* length);

static tutti_status ask_trace(const tutti_group* group, const void* what, char* text, size_t bytes,
                              size_t* length) {
    return tutti_group_trace(group, *(const int*)what, text, bytes, length);
}

static tutti_status ask_statistics(const tutti_group* group, const void* what, char* text, size_t bytes,
                                   size_t* length) {
    return tutti_group_statistics(group, what, text, bytes, length);
}

/// The whole of a text that may grow from one call to the next, to be freed.
static tutti_status whole_text(const char* function, asker ask, const tutti_group* group, const void* what,
                               char** text, size_t* length) {
    *text = NULL;
    tutti_status status = tutti_f_noted(ask(group, what, NULL, 0, length));
    for (size_t bytes = 0; status == TUTTI_OK && *length + 1 > bytes;) {
        bytes = *length + 1;
        free(*text);
        *text = malloc(bytes);
        status = *text != NULL ? tutti_f_noted(ask(group, what, *text, bytes, length))
                               : tutti_f_note(TUTTI_NO_MEMORY, "%s: out of memory", function);
    }
    return status;
}

static tutti_status write_file(const char* function, const char* file, const char* text, size_t length) {
    FILE* const stream = fopen(file, "wb");
    if (stream == NULL) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "%s: `file` \"%s\" cannot be written: %s", function, file,
                            strerror(errno));
    }
    const int is_short = fwrite(text, 1, length, stream) != length;
    return fclose(stream) != 0 || is_short
               ? tutti_f_note(TUTTI_ERROR, "%s: `file` \"%s\" has not been written in full", function, file)
               : TUTTI_OK;
}

static void record(const char* function, asker ask, const tutti_group* group, const void* what,
                   const CFI_cdesc_t* file, int* ierr) {
    char* text = NULL;
    size_t length = 0;
    tutti_status status = whole_text(function, ask, group, what, &text, &length);
    char* const name = tutti_f_text(file);
    if (status == TUTTI_OK) {
        status = name != NULL ? write_file(function, name, text, length)
                              : tutti_f_note(TUTTI_NO_MEMORY, "%s: out of memory", function);
    }
    free(name);
    free(text);
    tutti_f_finish(status, ierr);
}

void tutti_f_group_trace(tutti_group** group, int format, CFI_cdesc_t* file, int* ierr) {
    record("group_trace", ask_trace, *group, &format, file, ierr);
}

void tutti_f_group_statistics(tutti_group** group, CFI_cdesc_t* name, CFI_cdesc_t* file, int* ierr) {
    char* const copy = tutti_f_text(name);
    if (copy == NULL) {
        tutti_f_finish(tutti_f_note(TUTTI_NO_MEMORY, "group_statistics: out of memory"), ierr);
        return;
    }
    record("group_statistics", ask_statistics, *group, copy, file, ierr);
    free(copy);
}

void tutti_f_save_tuning(CFI_cdesc_t* path, int* ierr) {
    char* const name = tutti_f_text(path);
    const tutti_status status = name != NULL ? tutti_f_noted(tutti_save_tuning(name))
                                             : tutti_f_note(TUTTI_NO_MEMORY, "save_tuning: out of memory");
    free(name);
    tutti_f_finish(status, ierr);
}
