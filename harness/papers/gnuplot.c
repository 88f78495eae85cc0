#include "harness/papers/gnuplot.h"

#include "base/files/temporary.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the absolute path FOLDER/NAME.SUFFIX, which the caller frees. On failure, returns NULL
 * and sets errno. A relative path could begin with "<" or "|", and gnuplot would run it as a
 * command. */
static char *absolute_path(const char *folder, const char *name, const char *suffix) {
    char *path = NULL, *root = realpath(folder, NULL);
    if (root && asprintf(&path, "%s/%s.%s", root, name, suffix) < 0)
        path = NULL;
    int reason = errno;
    free(root);
    errno = reason;
    return path;
}

/* The absolute paths of the files that gnuplot reads and writes, and of the folder with its
 * scripts. */
struct drawing {
    char *csv, *picture, *script, *plots;
};

/* Finds the paths of a drawing. Returns 0, or errno if one of them cannot be found. */
static int find_paths(const struct gnuplot_figure *figure, const char *suffix,
                      struct drawing *drawing) {
    bool found = (drawing->csv = absolute_path(figure->directory, figure->name, "csv")) &&
                 (drawing->picture = absolute_path(figure->directory, figure->name, suffix)) &&
                 (drawing->script = absolute_path(figure->plots, figure->kind, "gp")) &&
                 (drawing->plots = realpath(figure->plots, NULL));
    return found ? 0 : errno;
}

static void free_paths(struct drawing *drawing) {
    free(drawing->csv);
    free(drawing->picture);
    free(drawing->script);
    free(drawing->plots);
}

/* Runs the script with `gnuplot -c`, which does not interpret its arguments. Ignores the user's
 * settings, so that all users get the same figure. Returns STATUS_MACHINE, without setting the
 * error, if gnuplot is missing or fails. It fails, for example, if it was built without the
 * terminal. */
static enum status run_gnuplot(const struct drawing *drawing, const char *out, const char *terminal,
                               const char *title, struct error *error) {
    const char *const argv[] = {"env",
                                "-u",
                                "GNUPLOT_LIB",
                                "-u",
                                "GNUPLOT_DEFAULT_GDFONT",
                                "-u",
                                "GNUTERM",
                                "gnuplot",
                                "-d",
                                "-c",
                                drawing->script,
                                drawing->csv,
                                out,
                                terminal,
                                title,
                                drawing->plots,
                                NULL};
    struct process process;
    char said[1];
    int exit_status;
    enum status status = process_start(argv, NULL, 0, &process, error);
    if (status)
        return status;
    process_finish(&process, said, sizeof said, &exit_status);
    return exit_status == 0 ? STATUS_OK : STATUS_MACHINE;
}

static bool has_content(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

/* Checks that the disk has room, because gnuplot does not report a full disk. Appends to the file
 * and then cuts it to its old size. Returns 0, or errno on failure. */
static int probe_room(const char *path) {
    static const char more[4096];
    struct stat info;
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return errno;
    errno = ENOSPC;
    bool has_room = fstat(file, &info) == 0 && write(file, more, sizeof more) == sizeof more &&
                    ftruncate(file, info.st_size) == 0;
    int reason = has_room ? 0 : errno;
    close(file);
    return reason;
}

static enum status refuse_file(const struct gnuplot_figure *figure, const char *suffix, int reason,
                               struct error *error) {
    if (reason == ENOMEM)
        return error_memory(error, "a figure");
    return error_set(error, STATUS_IO, "%s/%s.%s: cannot write: %s", figure->directory,
                     figure->name, suffix, strerror(reason));
}

/* Draws to a temporary file and then renames it. An old picture is thus never replaced by a torn
 * one. */
static enum status draw_aside(const struct gnuplot_figure *figure, const char *terminal,
                              const char *suffix, const struct drawing *drawing,
                              struct error *error) {
    char *aside;
    int file, reason = temporary_create(drawing->picture, &aside, &file);
    if (reason)
        return refuse_file(figure, suffix, reason, error);
    close(file);
    enum status status = run_gnuplot(drawing, aside, terminal, figure->title, error);
    reason = probe_room(aside);
    if (reason)
        status = refuse_file(figure, suffix, reason, error);
    if (!status && has_content(aside))
        return temporary_rename(aside, drawing->picture)
                   ? STATUS_OK
                   : refuse_file(figure, suffix, errno, error);
    temporary_remove(aside);
    return status ? status : STATUS_MACHINE;
}

/* Draws one picture with the given terminal of gnuplot. If gnuplot cannot draw it, returns
 * STATUS_MACHINE without setting the error. */
static enum status draw_with(const struct gnuplot_figure *figure, const char *terminal,
                             const char *suffix, struct error *error) {
    struct drawing drawing = {0};
    int reason = find_paths(figure, suffix, &drawing);
    enum status status = STATUS_MACHINE; /* returned if the script does not exist */
    if (reason == ENOMEM)
        status = error_memory(error, "a figure");
    else if (!reason)
        status = draw_aside(figure, terminal, suffix, &drawing, error);
    free_paths(&drawing);
    return status;
}

static void warn(const struct gnuplot_figure *figure, enum status svg, enum status png,
                 const struct error *error, char *warning, size_t warning_size) {
    if (svg == STATUS_IO || png == STATUS_IO)
        snprintf(warning, warning_size, "%s", error->text);
    else if (svg || png)
        snprintf(warning, warning_size,
                 "%s: gnuplot drew no %s. Install gnuplot-nox (5.4 or newer) and run treebench "
                 "report again",
                 figure->name,
                 !svg   ? "PNG"
                 : !png ? "SVG"
                        : "figure");
}

enum status gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size,
                         struct error *error) {
    struct error png_error;
    warning[0] = '\0';
    enum status svg = draw_with(figure, "svg", "svg", error);
    /* Tries cairo, then libgd. Debian's gnuplot-nox has both terminals, but other builds have only
     * one. */
    enum status png = draw_with(figure, "pngcairo", "png", &png_error);
    if (png == STATUS_MACHINE)
        png = draw_with(figure, "png", "png", &png_error);
    if (svg == STATUS_MEMORY || png == STATUS_MEMORY)
        return error_memory(error, "a figure");
    warn(figure, svg, png, svg == STATUS_IO ? error : &png_error, warning, warning_size);
    return STATUS_OK;
}
