#include "export/export.h"

#include "base/files/file.h"
#include "export/parts.h"
#include "impls/scorer.h"
#include "models/rewrite.h"
#include "models/votes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    IMPLS_MAX = 32, /* implementations that can be exported */
    VALUES = 32,
    VALUE_SIZE = 256, /* size of a value in a template */
    PATH_SIZE = 4096,
    TEST_DOCUMENTS = 1100,  /* largest number of documents that the test scores in one call */
    BENCH_DOCUMENTS = 4000, /* largest number of documents that the benchmark scores */
    DOCUMENTS_NUMBERS = 32 * 1000 * 1000, /* largest number of features and scores of all documents
                                             of a test or benchmark */
    DOCUMENTS_MIN = 4                     /* smallest number of documents, whatever their size */
};

/* The first line of every exported file contains this text. */
static const char MARK[] = "Written by treebench export";
/* In a Makefile, the name of the export follows. The file's own name does not contain it. */
static const char FOR[] = "Written by treebench export for ";
/* In the other files, the name of the model's file and a colon follow. */
static const char FROM[] = "Written by treebench export from ";

static const struct output {
    const char *suffix, *template_path;
} outputs[] = {{".h", "export/scorer.h.in"},
               {".c", "export/scorer.c.in"},
               {"_test.c", "export/test.c.in"},
               {"_bench.c", "export/bench.c.in"},
               {NULL, "export/Makefile.in"}}; /* NULL: the file is called "Makefile" */
static const struct text_part *const parts[] = {export_array_parts,
                                                export_scorer_parts,
                                                export_planes_parts,
                                                export_rank_parts,
                                                export_walk_parts,
                                                export_rows_parts,
                                                NULL};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* --- names ------------------------------------------------------------------------------------ */

/* Sorted for bsearch. Headers such as <sys/stat.h> are missing, because their names are not
 * identifiers. */
static const char *const headers[] = {
    "aio",       "alloca",   "ar",          "arm_acle",  "arm_neon",  "arm_sve",   "assert",
    "avxintrin", "byteswap", "complex",     "cpio",      "cpuid",     "crypt",     "ctype",
    "dirent",    "dlfcn",    "elf",         "endian",    "err",       "errno",     "error",
    "execinfo",  "fcntl",    "features",    "fenv",      "float",     "fmtmsg",    "fnmatch",
    "fts",       "ftw",      "getopt",      "glob",      "grp",       "iconv",     "ifaddrs",
    "immintrin", "inttypes", "iso646",      "langinfo",  "libgen",    "libintl",   "limits",
    "link",      "locale",   "malloc",      "math",      "memory",    "mm_malloc", "mmintrin",
    "mntent",    "monetary", "mqueue",      "ndbm",      "netdb",     "nl_types",  "nss",
    "obstack",   "omp",      "paths",       "poll",      "printf",    "pthread",   "pty",
    "pwd",       "regex",    "regexp",      "resolv",    "sched",     "search",    "semaphore",
    "setjmp",    "shadow",   "signal",      "spawn",     "stab",      "stdalign",  "stdarg",
    "stdatomic", "stdbit",   "stdbool",     "stdckdint", "stddef",    "stdint",    "stdio",
    "stdio_ext", "stdlib",   "stdnoreturn", "string",    "strings",   "stropts",   "syscall",
    "sysexits",  "syslog",   "tar",         "term",      "termio",    "termios",   "tgmath",
    "threads",   "time",     "trace",       "uchar",     "ucontext",  "ulimit",    "unistd",
    "unwind",    "utime",    "utmp",        "utmpx",     "values",    "varargs",   "wait",
    "wchar",     "wctype",   "windows",     "wordexp",   "x86intrin", "xmmintrin",
};

static int compare_header(const void *name, const void *header) {
    return strcasecmp(name, *(const char *const *)header);
}

/* Would an exported NAME.h in an include folder (-I) hide a header of C, C++, POSIX, Linux or a
 * compiler? Case is ignored, because some file systems ignore case. */
static bool is_header(const char *name) {
    return bsearch(name, headers, sizeof headers / sizeof *headers, sizeof *headers,
                   compare_header);
}

void export_name(const char *path, char name[static EXPORT_NAME_SIZE]) {
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    size_t size = 0;
    if (!isalpha((unsigned char)*from))
        size = (size_t)snprintf(name, EXPORT_NAME_SIZE, "model");
    if (size && isdigit((unsigned char)*from))
        name[size++] = '_';
    for (; isalnum((unsigned char)*from) || (*from && strchr("_- ", *from)); from++)
        if (size + 1 < EXPORT_NAME_SIZE)
            name[size++] = isalnum((unsigned char)*from) ? *from : '_';
    name[size] = '\0';
    if (is_header(name)) {
        char plain[EXPORT_NAME_SIZE];
        snprintf(plain, sizeof plain, "%s", name);
        snprintf(name, EXPORT_NAME_SIZE, "model_%.40s", plain);
    }
}

enum status export_check_name(const char *name, struct error *error) {
    size_t size = strlen(name);
    bool good = size > 0 && size < EXPORT_NAME_SIZE && !isdigit((unsigned char)*name);
    for (const char *c = name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    if (!good)
        return error_set(error, STATUS_INPUT,
                         "--name: '%s' is not a C identifier (letters, digits and _, at most %d "
                         "characters, no digit first)",
                         name, EXPORT_NAME_SIZE - 1);
    if (is_header(name))
        return error_set(error, STATUS_INPUT,
                         "--name: '%s' would hide the system's header <%s.h>. Use another name, "
                         "such as model_%s",
                         name, name, name);
    return STATUS_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

const char *const *export_impls(void) {
    static const char *names[IMPLS_MAX];
    size_t n_impls, count = 0;
    const struct impl *const *impls = impl_all(&n_impls);
    for (int form = IMPL_NO_FORM + 1; form <= IMPL_FRAMES; form++)
        for (size_t i = 0; i < n_impls && count + 1 < IMPLS_MAX; i++)
            if ((int)impls[i]->form == form)
                names[count++] = impls[i]->name;
    return names;
}

bool export_is_small(const struct impl *impl) {
    return impl && impl->form >= IMPL_BLOCKS;
}

static enum impl_form walk_of(const struct impl *impl) {
    return export_is_small(impl) ? impl->form : IMPL_TABLES;
}

/* Refuses code or tables that are over the request's limit. */
static enum status check_bytes(const struct export_request *request,
                               const struct export_model *model, struct error *error) {
    bool is_code = model->walk == IMPL_BLOCKS;
    if (model->walk == IMPL_TABLES || request->max_bytes == 0 ||
        model->walk_bytes <= request->max_bytes)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: %s needs %s%zu bytes of %s, more than --max-bytes %zu. Use %sfewer or "
                     "smaller trees",
                     request->model, request->impl->name, is_code ? "about " : "",
                     model->walk_bytes, is_code ? "code and constants" : "tables",
                     request->max_bytes, is_code ? "--impl native-opt, or " : "");
}

/* Builds the kernel that was requested, or all that the model can have. */
static enum status make_kernels(const struct impl *impl, struct export_model *model,
                                struct export_choice *choice, struct error *error) {
    static const struct {
        enum impl_form form;
        enum status (*build)(struct export_model *model, struct error *error);
    } kernels[EXPORT_KERNELS] = {{IMPL_PLANES, export_planes_build},
                                 {IMPL_RANK_BYTES, export_rank_bytes_build}};
    enum status status = STATUS_OK;
    for (int i = 0; i < EXPORT_KERNELS && !status; i++) {
        if (impl && impl->form != kernels[i].form)
            continue;
        status = kernels[i].build(model, error);
        if (status == STATUS_UNSUPPORTED && !impl) {
            choice->why[i] = *error;
            status = STATUS_OK;
        }
    }
    return status ? status : export_few_make(model, error);
}

static const char *name_kernels(const struct export_model *model) {
    return model->has_planes && model->rank_bytes
               ? "planes and rank-bytes"
               : impl_with_form(model->has_planes   ? IMPL_PLANES
                                : model->rank_bytes ? IMPL_RANK_BYTES
                                                    : IMPL_TABLES)
                     ->name;
}

static enum status make_model(const struct export_request *request, const struct placing *placing,
                              struct export_model *model, struct export_choice *choice,
                              struct error *error) {
    const struct impl *impl = request->impl;
    *model = (struct export_model){
        .ensemble = request->ensemble, .placing = placing, .walk = walk_of(impl)};
    struct ensemble_stats stats;
    enum status status = ensemble_compute_stats(request->ensemble, &stats, error);
    if (status)
        return status;
    model->decisions = stats.path_mean * stats.trees;
    status = make_kernels(impl, model, choice, error);
    choice->impl = impl ? impl->name : name_kernels(model);
    if (!status)
        status = export_trees_make(model, error);
    if (!status)
        status = check_bytes(request, model, error);
    choice->bytes = model->walk_bytes;
    return status ? status : export_rows_make(model, error);
}

static void free_model(struct export_model *model) {
    memory_pool_free(&model->pool);
    for (int i = 0; i < EXPORT_SHAPES; i++)
        planes_model_free(&model->planes[i]);
    scorer_destroy((struct scorer *)model->rank_bytes);
    free(model->blocks);
    free(model->expected);
    matrix_free(model->rows);
}

/* --- values of the templates' keys ------------------------------------------------------------ */

struct values {
    struct text_value list[VALUES];
    char texts[VALUES][VALUE_SIZE];
    size_t count;
};

static void add_text(struct values *values, const char *key, const char *text) {
    char *to = values->texts[values->count];
    snprintf(to, VALUE_SIZE, "%s", text);
    values->list[values->count++] = (struct text_value){key, to};
}

static void add_number(struct values *values, const char *key, size_t number) {
    char text[VALUE_SIZE];
    snprintf(text, sizeof text, "%zu", number);
    add_text(values, key, text);
}

static void add_upper(struct values *values, const char *key, const char *name) {
    char text[VALUE_SIZE];
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof text; i++)
        text[i] = (char)toupper((unsigned char)name[i]);
    text[i] = '\0';
    add_text(values, key, text);
}

/* Copies the name of a file without its folder, for comments. Characters that could end a comment
 * become '?'. */
static void make_file_name(const char *path, char text[static VALUE_SIZE]) {
    const char *slash = strrchr(path, '/');
    snprintf(text, VALUE_SIZE, "%s", slash ? slash + 1 : path);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._- +", *c))
            *c = '?';
}

static size_t count_documents(size_t most, const struct ensemble *e) {
    size_t count = DOCUMENTS_NUMBERS / (e->n_features + e->n_outputs);
    return count > most ? most : count < DOCUMENTS_MIN ? DOCUMENTS_MIN : count;
}

/* The workspace of all kernels. */
static size_t workspace_bytes(const struct export_model *model) {
    size_t planes = model->has_planes ? export_planes_workspace(model) : 0;
    size_t rank_bytes = model->rank_bytes ? export_rank_bytes_workspace(model) : 0;
    return planes > rank_bytes ? planes : rank_bytes;
}

/* The space for documents that are placed together, with any alignment. */
static size_t placed_bytes(const struct export_model *model) {
    return (export_placed_rows(model) * model->ensemble->n_features + 1) * sizeof(float);
}

static void set_values(const struct export_request *request, const struct export_model *model,
                       struct values *values) {
    const struct ensemble *e = request->ensemble;
    *values = (struct values){0};
    add_text(values, "name", request->name);
    add_upper(values, "NAME", request->name);
    char model_name[VALUE_SIZE];
    make_file_name(request->model, model_name);
    add_text(values, "model", model_name);
    add_number(values, "n_trees", e->n_trees);
    add_number(values, "n_features", e->n_features);
    add_number(values, "n_outputs", e->n_outputs);
    add_number(values, "any_nan_left", e->any_nan_left);
    add_number(values, "any_sets", e->set != NULL);
    add_number(values, "votes", e->votes);
    add_text(values, "feature_type", model->feature_type ? model->feature_type : "");
    add_text(values, "child_type", model->child_type ? model->child_type : "");
    size_t workspace = workspace_bytes(model), placed = placed_bytes(model);
    bool coded = placing_count_coded(model->placing) > 0;
    add_number(values, "walk_tables", model->walk == IMPL_TABLES);
    add_number(values, "walk_blocks", model->walk == IMPL_BLOCKS);
    add_number(values, "walk_frames", model->walk == IMPL_FRAMES);
    add_number(values, "planes", model->has_planes);
    add_number(values, "rank_bytes", model->rank_bytes != NULL);
    add_number(values, "kernels", model->has_planes || model->rank_bytes);
    add_number(values, "categories", export_has_categories(model));
    add_number(values, "coded", placing_count_coded(model->placing));
    add_number(values, "kernel_workspace", workspace);
    add_number(values, "workspace", coded ? workspace + placed : workspace);
    add_number(values, "workspace_doubles", workspace + placed);
    add_number(values, "n_used", model->n_used);
    add_number(values, "placed_rows", export_placed_rows(model));
    add_number(values, "n_bundles", model->planes[0].n_bundles);
    add_number(values, "n_xors", model->planes[0].xors.n_runs);
    size_t few = export_planes_few(model);
    add_number(values, "few", few);
    add_number(values, "few_wide", model->rank_bytes ? model->few_avx512 : few);
    add_number(values, "n_rows", model->rows->n_rows);
    add_number(values, "n_documents", count_documents(TEST_DOCUMENTS, e));
    add_number(values, "n_bench_documents", count_documents(BENCH_DOCUMENTS, e));
}

/* --- files ------------------------------------------------------------------------------------ */

static enum status make_path(const struct export_request *request, const struct output *output,
                             char path[static PATH_SIZE], struct error *error) {
    int size =
        snprintf(path, PATH_SIZE, "%s/%s%s", request->folder,
                 output->suffix ? request->name : "Makefile", output->suffix ? output->suffix : "");
    return size < PATH_SIZE ? STATUS_OK
                            : error_set(error, STATUS_INPUT, "--out: the path is too long");
}

/* Copies the export's name from the first line of an earlier Makefile. Other files give "". */
static void find_name(const char *line, char name[static EXPORT_NAME_SIZE]) {
    const char *at = strstr(line, FOR);
    size_t size = at ? strcspn(at += strlen(FOR), ".") : 0;
    snprintf(name, EXPORT_NAME_SIZE, "%.*s", (int)size, at ? at : "");
}

/* Protects the export of another model. Without --name, two models may get the same name:
 * "ranker.1.txt" and "ranker.2.txt". */
static enum status check_model(const char *path, const char *line,
                               const struct export_request *request, struct error *error) {
    char wanted[VALUE_SIZE];
    const char *from = strstr(line, FROM), *end = from ? strchr(from += strlen(FROM), ':') : NULL;
    make_file_name(request->model, wanted);
    if (request->is_named || !end ||
        (strlen(wanted) == (size_t)(end - from) && memcmp(from, wanted, strlen(wanted)) == 0))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: already exists, from an export of %.*s. Give --name %s to overwrite it, "
                     "another --name, or another --out",
                     path, (int)(end - from), from, request->name);
}

/* An existing file is only overwritten if an earlier export with the same name wrote it. An export
 * with another name would leave the other files of the earlier one behind. */
static enum status check_ours(const char *path, const struct export_request *request,
                              struct error *error) {
    char line[VALUE_SIZE + 2 * EXPORT_NAME_SIZE + 128] = "", name[EXPORT_NAME_SIZE];
    FILE *stream = fopen(path, "r");
    if (!stream)
        return errno == ENOENT ? STATUS_OK
                               : error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
    bool ours = fgets(line, sizeof line, stream) && strstr(line, MARK);
    fclose(stream);
    if (!ours)
        return error_set(error, STATUS_INPUT,
                         "%s: already exists and is not from treebench export. Give another --out",
                         path);
    find_name(line, name);
    if (name[0] && strcmp(name, request->name) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: this folder holds an export named %s, whose files would stay. Give "
                         "--name %s or another --out",
                         path, name, name);
    return check_model(path, line, request, error);
}

static enum status check_folder(const struct export_request *request, struct error *error) {
    struct stat info;
    enum status status = STATUS_OK;
    if (stat(request->folder, &info) == 0 && !S_ISDIR(info.st_mode))
        return error_set(error, STATUS_INPUT, "--out: %s is a file; expected a folder",
                         request->folder);
    for (int i = 0; i < OUTPUTS && !status; i++) {
        char path[PATH_SIZE];
        status = make_path(request, &outputs[i], path, error);
        if (!status)
            status = check_ours(path, request, error);
    }
    return status;
}

static enum status begin_file(const struct export_request *request, const struct output *output,
                              struct file_writer *writer, struct error *error) {
    char path[PATH_SIZE];
    enum status status = make_path(request, output, path, error);
    return status ? status : file_write_begin(writer, path, error);
}

/* Writes all files before the first one gets its final name, so that a full disk changes nothing.
 */
static enum status write_files(const struct export_request *request,
                               const struct export_model *model, struct error *error) {
    struct file_writer writers[OUTPUTS];
    int begun = 0, committed = 0;
    enum status status = file_make_directories(request->folder, error);
    for (; begun < OUTPUTS && !status; begun++) {
        status = begin_file(request, &outputs[begun], &writers[begun], error);
        if (status)
            break;
        text_write(writers[begun].stream, outputs[begun].template_path, model->values, parts,
                   model);
    }
    for (; committed < begun && !status; committed++)
        status = file_write_commit(&writers[committed], error);
    for (; committed < begun; committed++)
        file_write_abandon(&writers[committed]);
    return status;
}

static enum status write_scorer(const struct export_request *request, const struct placing *placing,
                                const struct categories *categories, struct export_choice *choice,
                                struct error *error) {
    struct export_model model;
    struct values values;
    enum status status = check_folder(request, error);
    if (status)
        return status;
    *choice = (struct export_choice){.impl = NULL};
    status = make_model(request, placing, &model, choice, error);
    model.categories = categories;
    if (!status) {
        set_values(request, &model, &values);
        model.values = values.list;
        status = write_files(request, &model, error);
    }
    free_model(&model);
    return status;
}

/* Makes the ensemble that is exported: a copy, because placing_create may change it. Planes and
 * struct-plus have one tree per class, and the others plain nodes only. */
static enum status make_copy(const struct export_request *request, struct ensemble **copy,
                             struct error *error) {
    bool is_small = export_is_small(request->impl);
    if (request->ensemble->votes && !is_small)
        return ensemble_votes_to_outputs(request->ensemble, copy, error);
    if (request->ensemble->set && is_small)
        return ensemble_rewrite_sets(request->ensemble, copy, error);
    return ensemble_copy(request->ensemble, copy, error);
}

enum status export_write(const struct export_request *request, struct export_choice *choice,
                         struct error *error) {
    struct ensemble *copy = NULL;
    struct placing *placing = NULL;
    struct error reason;
    enum status status = ensemble_check_computed(request->ensemble, &reason);
    if (!status)
        status = make_copy(request, &copy, &reason);
    if (!status)
        status = placing_create(copy, &placing, &reason);
    if (status) {
        ensemble_free(copy);
        return error_set(error, status, "%s: %s", request->model, reason.text);
    }
    struct export_request coded = *request;
    coded.ensemble = copy;
    status = write_scorer(&coded, placing, request->ensemble->categories, choice, error);
    placing_free(placing);
    ensemble_free(copy);
    return status;
}
