#include "impls/peers/plugin.h"

#include "base/loader.h"
#include "base/number.h"
#include "base/process.h"
#include "impls/peers/isolated.h"
#include "impls/peers/peer_library.h"
#include "impls/peers/treebench_peer.h"
#include "impls/scorer.h"
#include "models/format.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NAME_SIZE = 32,
    TEXT_SIZE = 128,
    SECONDS = 60,
    SECONDS_MOST = 86400,
    OPTION_SIZE = PATH_MAX
};
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

/* What a peer says of itself. */
struct description {
    enum status status; /* why it cannot be used */
    struct error error;
    char name[NAME_SIZE], version[TEXT_SIZE], formats[TEXT_SIZE];
    bool float_sums;
};

struct plugin {
    struct impl impl;                     /* first, so that a pointer to it is one to the plug-in */
    char path[PATH_MAX], model[PATH_MAX]; /* model: "" if treebench writes it */
    char options[PATH_MAX];               /* for the peer */
    unsigned seconds;
    struct description about;
};

struct peer_plugin {
    struct scorer scorer;
    const struct treebench_peer *peer;
    void *model;
    double base[]; /* [n_outputs] that the peer's scores include */
};

/* --- scoring ---------------------------------------------------------------------------------- */

static int score_as_doubles(const struct peer_plugin *peer, const float *x, size_t stride,
                            size_t n_docs, double *results) {
    size_t n_features = peer->scorer.n_features;
    double *rows = malloc((n_docs * n_features + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < n_docs; i++)
        for (size_t f = 0; f < n_features; f++)
            rows[i * n_features + f] = (double)x[i * stride + f];
    int failed =
        rows ? peer->peer->score_doubles(peer->model, rows, n_features, n_docs, results) : 1;
    free(rows);
    return failed;
}

static int score_rows(const struct peer_plugin *peer, const float *x, size_t stride, size_t n_docs,
                      double *results) {
    return peer->peer->score_floats
               ? peer->peer->score_floats(peer->model, x, stride, n_docs, results)
               : score_as_doubles(peer, x, stride, n_docs, results);
}

static void plugin_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct peer_plugin *peer = (const struct peer_plugin *)scorer;
    size_t n_docs = docs.end - docs.begin, n_outputs = scorer->n_outputs;
    if (units.begin == units.end || n_docs == 0)
        return;
    double *results = malloc(n_docs * n_outputs * sizeof *results);
    double *scores = batch->scores + docs.begin * n_outputs;
    bool done = results && score_rows(peer, batch->x + docs.begin * batch->stride, batch->stride,
                                      n_docs, results) == 0;
    /* `score` cannot return an error, so a failure makes the scores NaN. */
    for (size_t i = 0; i < n_docs; i++, scores += n_outputs)
        for (size_t k = 0; k < n_outputs; k++)
            scores[k] += done ? results[i * n_outputs + k] - peer->base[k] : (double)NAN;
    free(results);
}

/* --- loading ---------------------------------------------------------------------------------- */

/* What is wrong with it, or NULL. */
static const char *check(const struct treebench_peer *peer) {
    const char *name = peer->name ? peer->name : "";
    if (!*name || strlen(name) >= NAME_SIZE || name[strspn(name, name_characters)])
        return "has no name of 1 to 31 characters a to z, 0 to 9, '-', '_' and '.'";
    if (peer->open && peer->close && peer->last_error && peer->n_features && peer->n_outputs &&
        (peer->score_floats || peer->score_doubles))
        return NULL;
    return "lacks one of open, close, last_error, n_features, n_outputs and a function to score";
}

static enum status ask(const char *path, const struct treebench_peer *(*function)(void),
                       const struct treebench_peer **peer, struct error *error) {
    *peer = function();
    if (!*peer)
        return error_set(error, STATUS_MACHINE, "%s cannot run here, as its treebench_peer says",
                         path);
    if ((*peer)->abi != TREEBENCH_PEER_ABI)
        return error_set(error, STATUS_MACHINE,
                         "%s is made for version %u of treebench_peer.h, but this is version %d. "
                         "Compile it again",
                         path, (*peer)->abi, TREEBENCH_PEER_ABI);
    const char *fault = check(*peer);
    return fault ? error_set(error, STATUS_MACHINE, "%s %s", path, fault) : STATUS_OK;
}

/* Loads the library. It is never unloaded, because its threads may outlive the last call. */
static enum status load(const char *path, const struct treebench_peer **peer, struct error *error) {
    const struct treebench_peer *(*function)(void);
    const struct loader_symbol symbols[] = {{"treebench_peer", (void **)&function}, {0}};
    const char *why;
    void *handle;
    enum status status = loader_open(path, &handle, &why);
    if (status == STATUS_MEMORY)
        return error_memory(error, path);
    if (status)
        return error_set(error, status, "%s", why);
    if (loader_find(handle, symbols))
        return error_set(error, STATUS_MACHINE,
                         "%s exports no function treebench_peer, so it is not a peer", path);
    return ask(path, function, peer, error);
}

/* --- building --------------------------------------------------------------------------------- */

static const struct model_format *format_named(const char *name, size_t length) {
    size_t count;
    const struct model_format *const *formats = model_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (formats[i]->write && strlen(formats[i]->name) == length &&
            strncmp(formats[i]->name, name, length) == 0)
            return formats[i];
    return NULL;
}

/* Finds the next format that the peer reads and treebench writes. NULL at the end. */
static const struct model_format *next_format(const char **names) {
    const struct model_format *format = NULL;
    while (**names && !format) {
        *names += strspn(*names, " ");
        size_t length = strcspn(*names, " ");
        format = format_named(*names, length);
        *names += length;
    }
    return format;
}

static enum status open_path(const struct plugin *plugin, struct peer_plugin *peer,
                             const char *path, struct error *error) {
    const struct treebench_peer *p = peer->peer;
    peer->model = p->open(path, plugin->options);
    if (!peer->model)
        return error_set(error, STATUS_UNSUPPORTED, "%s: %s", plugin->path, p->last_error());
    if (p->threads && p->threads(peer->model, 1) != 0)
        return error_set(error, STATUS_UNSUPPORTED, "%s: %s", plugin->path, p->last_error());
    uint32_t n_features = p->n_features(peer->model), n_outputs = p->n_outputs(peer->model);
    if (n_features <= peer->scorer.n_features && n_outputs == peer->scorer.n_outputs)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "%s: its model has %u features and %u outputs, but the model has %u and %u",
                     plugin->path, n_features, n_outputs, peer->scorer.n_features,
                     peer->scorer.n_outputs);
}

/* Writes the model to an anonymous file, of which nothing remains even if the peer crashes. */
static enum status open_written(const struct plugin *plugin, struct peer_plugin *peer,
                                const struct ensemble *ensemble, const struct model_format *format,
                                struct error *error) {
    char *text, path[64];
    size_t size;
    enum status status = peer_write_model(ensemble, format->write, &text, &size, error);
    int file = status ? -1 : process_file(text, size);
    free(text);
    if (status)
        return status;
    if (file < 0)
        return error_set(error, STATUS_IO, "%s: cannot write the model", plugin->path);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    peer->scorer.bytes = size;
    status = open_path(plugin, peer, path, error);
    close(file);
    return status;
}

/* Tries the peer's formats in order until one can hold the model. */
static enum status open_any(const struct plugin *plugin, struct peer_plugin *peer,
                            const struct ensemble *ensemble, struct error *error) {
    const struct model_format *format;
    const char *names = plugin->about.formats;
    enum status status = error_set(
        error, STATUS_UNSUPPORTED,
        "%s reads no format that treebench writes: name a file of its own, as in %s,model=FILE",
        plugin->path, plugin->path);
    while (status == STATUS_UNSUPPORTED && !peer->model && (format = next_format(&names)))
        status = open_written(plugin, peer, ensemble, format, error);
    return status;
}

static void plugin_destroy(struct scorer *scorer) {
    struct peer_plugin *peer = (struct peer_plugin *)scorer;
    if (peer->model)
        peer->peer->close(peer->model);
}

static enum status plugin_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    (void)options;
    const struct plugin *plugin = (const struct plugin *)impl;
    const struct treebench_peer *loaded = NULL;
    size_t n_outputs = ensemble->n_outputs;
    if (plugin->about.status)
        return error_set(error, plugin->about.status, "%s", plugin->about.error.text);
    enum status status = load(plugin->path, &loaded, error);
    if (status)
        return status;
    /* one call of the library scores all trees */
    struct peer_plugin *peer =
        scorer_create(sizeof *peer + n_outputs * sizeof *peer->base, impl, ensemble, 1, 0, error);
    if (!peer)
        return STATUS_MEMORY;
    peer->peer = loaded;
    peer->scorer.float_trees =
        impl->kind == IMPL_OBJECT && plugin->about.float_sums ? UINT32_MAX : 0;
    if (!loaded->score_floats)
        peer->scorer.note = "takes doubles: converting the documents is part of its time";
    for (size_t k = 0; k < n_outputs && plugin_has_model(impl); k++)
        peer->base[k] = ensemble->base[k];
    status = plugin_has_model(impl) ? open_path(plugin, peer, plugin->model, error)
                                    : open_any(plugin, peer, ensemble, error);
    return scorer_finish(&peer->scorer, status, scorer, error);
}

/* --- adding ----------------------------------------------------------------------------------- */

/* Reads one "option=value". What is not treebench's is kept for the peer. */
static enum status read_option(struct plugin *plugin, const char *text, size_t length,
                               struct error *error) {
    int64_t seconds;
    const char *equals = memchr(text, '=', length), *end = text + length;
    if (!equals || equals == text || equals + 1 == end)
        return error_set(error, STATUS_INPUT, "--peer: '%.*s' is not of the form OPTION=VALUE",
                         (int)length, text);
    if (strncmp(text, "model=", 6) == 0) {
        snprintf(plugin->model, sizeof plugin->model, "%.*s", (int)(end - equals - 1), equals + 1);
        return STATUS_OK;
    }
    if (strncmp(text, "seconds=", 8) == 0) {
        if (number_parse_i64(equals + 1, end, &seconds) != end || seconds < 1 ||
            seconds > SECONDS_MOST)
            return error_set(error, STATUS_INPUT, "--peer: '%.*s': must be from 1 to %d",
                             (int)length, text, SECONDS_MOST);
        plugin->seconds = (unsigned)seconds;
        return STATUS_OK;
    }
    size_t used = strlen(plugin->options);
    int size = snprintf(plugin->options + used, sizeof plugin->options - used, "%s%.*s",
                        used ? "," : "", (int)length, text);
    return (size_t)size < sizeof plugin->options - used
               ? STATUS_OK
               : error_set(error, STATUS_INPUT,
                           "--peer: the options are longer than %zu characters",
                           sizeof plugin->options - 1);
}

static enum status read_text(struct plugin *plugin, const char *text, struct error *error) {
    size_t length = strcspn(text, ",");
    bool has_folder = memchr(text, '/', length); /* the loader would search others */
    int size = snprintf(plugin->path, sizeof plugin->path, "%s%.*s", has_folder ? "" : "./",
                        (int)length, text);
    if (length == 0 || (size_t)size >= sizeof plugin->path)
        return error_set(error, STATUS_INPUT, "--peer: '%s' names no shared library", text);
    enum status status = STATUS_OK;
    for (const char *at = text + length; !status && *at == ','; at += length) {
        length = strcspn(++at, ",");
        status = read_option(plugin, at, length, error);
    }
    return status;
}

/* Runs in a process of its own. */
static void describe(void *context, void *result) {
    const struct plugin *plugin = context;
    struct description *about = result;
    const struct treebench_peer *peer = NULL;
    about->status = load(plugin->path, &peer, &about->error);
    if (about->status)
        return;
    snprintf(about->name, sizeof about->name, "%s", peer->name);
    if (peer->version && *peer->version)
        snprintf(about->version, sizeof about->version, "%s", peer->version);
    else
        snprintf(about->version, sizeof about->version, "%s, version unknown", peer->name);
    snprintf(about->formats, sizeof about->formats, "%s", peer->formats ? peer->formats : "");
    about->float_sums = peer->sums == TREEBENCH_PEER_FLOAT;
}

/* The name for tables of a library that could not say its own: that of its file. */
static void name_as_file(struct plugin *plugin) {
    const char *file = strrchr(plugin->path, '/') + 1;
    size_t length = strspn(file, name_characters);
    snprintf(plugin->about.name, NAME_SIZE, "%.*s", length ? (int)length : 4,
             length ? file : "peer");
    char *suffix = strstr(plugin->about.name, ".so");
    if (suffix && suffix > plugin->about.name)
        *suffix = '\0';
}

/* Adds -2, -3, ... to a name that another implementation has. */
static void make_name_unique(struct plugin *plugin) {
    char *name = plugin->about.name;
    size_t length = strnlen(name, NAME_SIZE - 4);
    for (int i = 2; impl_find(name, NULL); i++)
        snprintf(name + length, NAME_SIZE - length, "-%d", i);
}

/* A model may be written in any of the formats. */
static void take_formats(struct plugin *plugin) {
    const char *names = plugin->about.formats;
    const struct model_format *format;
    plugin->impl.sets = true;
    plugin->impl.double_sums = !plugin->about.float_sums;
    while ((format = next_format(&names))) {
        plugin->impl.sets &= format->sets;
        plugin->impl.double_sums &= !format->float32_leaves;
    }
}

static void fill_in(struct plugin *plugin) {
    struct description *about = &plugin->about;
    struct error error;
    struct impl *impl = &plugin->impl;
    enum status status =
        isolated_run(describe, plugin, about, sizeof *about, plugin->seconds, &error);
    if (status)
        about->status =
            error_set(&about->error, status, "%s %s while it was loaded", plugin->path, error.text);
    if (about->status)
        name_as_file(plugin);
    make_name_unique(plugin);
    take_formats(plugin);
    impl->roles = IMPL_PEER;
    impl->name = impl->title = about->name;
    impl->source = plugin->path;
    impl->edition = about->version;
    impl->kind = *plugin->model ? IMPL_OBJECT : IMPL_LIBRARY;
    impl->build = plugin_build;
    impl->score = plugin_score;
    impl->destroy = plugin_destroy;
}

enum status plugin_add(const char *text, struct error *error) {
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return error_memory(error, "a peer");
    plugin->seconds = SECONDS;
    enum status status = read_text(plugin, text, error);
    if (!status) {
        fill_in(plugin);
        if (!impl_add(&plugin->impl))
            status = error_set(error, STATUS_INPUT, "--peer: more than %d peers", IMPL_ADDED_MAX);
    }
    if (status)
        free(plugin);
    return status;
}

unsigned plugin_seconds(const struct impl *impl) {
    return ((const struct plugin *)impl)->seconds;
}

void plugin_give_up(const struct impl *impl, const char *reason) {
    struct description *about = &((struct plugin *)impl)->about;
    about->status = error_set(&about->error, STATUS_INPUT, "%s", reason);
}

bool plugin_has_model(const struct impl *impl) {
    return ((const struct plugin *)impl)->model[0] != '\0';
}
