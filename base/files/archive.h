/* Reads files of zip archives. */
#ifndef BASE_FILES_ARCHIVE_H
#define BASE_FILES_ARCHIVE_H

#include "base/files/file.h"
#include "base/status.h"

/* Reads the file `member` of the zip archive `path` as a whole, with the limits of file_read. The
 * caller frees the result with file_text_free. STATUS_IO if the archive cannot be read, lacks the
 * file or is damaged; STATUS_MEMORY if the file exceeds a limit. */
enum status archive_read(const char *path, const char *member, struct file_text *text,
                         struct error *error);

#endif
