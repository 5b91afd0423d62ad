// The records of a group, written to files: Fortran has no text whose length the callee determines.

#include "fortran/src/arrays.h"

#include <tutti/tutti.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The whole of a trace, which may grow from one call to the next, to be freed.
static tutti_status whole_trace(const tutti_group* group, int format, char** text, size_t* length) {
    *text = NULL;
    tutti_status status = tutti_f_noted(tutti_group_trace(group, format, NULL, 0, length));
    for (size_t bytes = 0; status == TUTTI_OK && *length + 1 > bytes;) {
        bytes = *length + 1;
        free(*text);
        *text = malloc(bytes);
        status = *text != NULL ? tutti_f_noted(tutti_group_trace(group, format, *text, bytes, length))
                               : tutti_f_note(TUTTI_NO_MEMORY, "group_trace: out of memory");
    }
    return status;
}

static tutti_status write_file(const char* file, const char* text, size_t length) {
    FILE* const stream = fopen(file, "wb");
    if (stream == NULL) {
        return tutti_f_note(TUTTI_ARGUMENT_ERROR, "group_trace: `file` \"%s\" cannot be written: %s", file,
                            strerror(errno));
    }
    const int is_short = fwrite(text, 1, length, stream) != length;
    return fclose(stream) != 0 || is_short
               ? tutti_f_note(TUTTI_ERROR, "group_trace: `file` \"%s\" has not been written in full", file)
               : TUTTI_OK;
}

void tutti_f_group_trace(tutti_group** group, int format, CFI_cdesc_t* file, int* ierr) {
    char* text = NULL;
    size_t length = 0;
    tutti_status status = whole_trace(*group, format, &text, &length);
    char* const name = tutti_f_text(file);
    if (status == TUTTI_OK) {
        status = name != NULL ? write_file(name, text, length)
                              : tutti_f_note(TUTTI_NO_MEMORY, "group_trace: out of memory");
    }
    free(name);
    free(text);
    tutti_f_finish(status, ierr);
}

void tutti_f_save_tuning(CFI_cdesc_t* path, int* ierr) {
    char* const name = tutti_f_text(path);
    const tutti_status status = name != NULL ? tutti_f_noted(tutti_save_tuning(name))
                                             : tutti_f_note(TUTTI_NO_MEMORY, "save_tuning: out of memory");
    free(name);
    tutti_f_finish(status, ierr);
}
