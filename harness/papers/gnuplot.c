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

/* The exit status of env if it does not find the program. */
enum { NOT_FOUND = 127, OUTPUT_SIZE = 4096 };

static enum status refuse_missing(struct error *error) {
    return error_set(error, STATUS_MACHINE,
                     "Install gnuplot-nox (5.4 or newer) and run treebench report again");
}

/* Returns the last line of gnuplot's output, which is the error. Changes the text. */
static char *last_line(char *text) {
    size_t length = strlen(text);
    while (length > 0 && strchr(" \n\r\t", text[length - 1]))
        text[--length] = '\0';
    char *end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

/* Most messages of gnuplot are `"FOLDER/SCRIPT" line N: REASON`. The folder is left out. */
static enum status refuse_script(char *output, int exit_status, struct error *error) {
    const char *line = last_line(output);
    const char *name_end = *line == '"' ? strchr(line + 1, '"') : NULL;
    if (strstr(line, "terminal type"))
        return refuse_missing(error);
    if (*line == '\0')
        return error_set(error, STATUS_MACHINE, "gnuplot ended with exit status %d", exit_status);
    if (name_end) {
        const char *name = name_end;
        while (name[-1] != '"' && name[-1] != '/')
            name--;
        return error_set(error, STATUS_MACHINE, "%.*s%s", (int)(name_end - name), name,
                         name_end + 1);
    }
    return error_set(error, STATUS_MACHINE, "%s", line);
}

/* Runs the script by `gnuplot -c`, which does not evaluate the arguments. The user's settings are
 * ignored, so that all users get the same figure. STATUS_MACHINE, with the reason, if gnuplot is
 * missing or fails. gnuplot fails, for example, if it was built without the terminal. */
static enum status run_gnuplot(const struct drawing *drawing, const char *out, const char *terminal,
                               const struct gnuplot_figure *figure, struct error *error) {
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
                                figure->title,
                                drawing->plots,
                                figure->caption ? figure->caption : "",
                                NULL};
    struct process process;
    char output[OUTPUT_SIZE];
    int exit_status;
    enum status status = process_start(argv, NULL, 0, &process, error);
    if (status)
        return status == STATUS_MACHINE ? refuse_missing(error) : status;
    process_finish(&process, output, sizeof output, &exit_status);
    if (exit_status == 0)
        return STATUS_OK;
    return exit_status == NOT_FOUND ? refuse_missing(error)
                                    : refuse_script(output, exit_status, error);
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
    enum status status = run_gnuplot(drawing, aside, terminal, figure, error);
    reason = probe_room(aside);
    if (reason)
        status = refuse_file(figure, suffix, reason, error);
    if (!status && has_content(aside))
        return temporary_rename(aside, drawing->picture)
                   ? STATUS_OK
                   : refuse_file(figure, suffix, errno, error);
    temporary_remove(aside);
    return status ? status : error_set(error, STATUS_MACHINE, "gnuplot wrote an empty file");
}

/* Draws one picture with one of gnuplot's terminals. STATUS_MACHINE, with the reason, if gnuplot
 * cannot draw it. */
static enum status draw_with(const struct gnuplot_figure *figure, const char *terminal,
                             const char *suffix, struct error *error) {
    struct drawing drawing = {0};
    int reason = find_paths(figure, suffix, &drawing);
    enum status status =
        reason == ENOMEM ? error_memory(error, "a figure")
        : reason ? error_set(error, STATUS_MACHINE, "%s.gp: %s", figure->kind, strerror(reason))
                 : draw_aside(figure, terminal, suffix, &drawing, error);
    free_paths(&drawing);
    return status;
}

static void warn(const struct gnuplot_figure *figure, enum status svg, enum status png,
                 const struct error *error, char *warning, size_t warning_size) {
    if (svg == STATUS_IO || png == STATUS_IO)
        snprintf(warning, warning_size, "%s", error->text);
    else if (svg || png)
        snprintf(warning, warning_size, "%s: gnuplot drew no %s%s%s", figure->name,
                 !svg   ? "PNG"
                 : !png ? "SVG"
                        : "figure",
                 strncmp(error->text, "Install", 7) == 0 ? ". " : ": ", error->text);
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
    bool tells_svg = svg == STATUS_IO || (svg && png != STATUS_IO);
    warn(figure, svg, png, tells_svg ? error : &png_error, warning, warning_size);
    return STATUS_OK;
}
