#include "impls/codegen/codegen_library.h"

#include "base/cpu.h"
#include "base/files/temporary.h"
#include "base/loader.h"
#include "base/memory.h"
#include "base/process.h"
#include "impls/codegen/codegen_cache.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Each compiler process gets a chunk: some consecutive groups. Small chunks keep all cores busy and
 * need little memory. Chunks of this size take gcc about 3 s (0.7 ms per node), so its startup time
 * does not matter. */
enum { LEAVES_PER_CHUNK = 4096, MESSAGE_SIZE = 512 };

/* Compilers take up to a few ms and 20 KB of memory per node. With trees above this limit, the
 * compiler would seem to hang. */
enum { MAX_TREE_NODES = 1 << 17 };

/* -w suppresses warnings about the generated code, because nobody would read them. There is no
 * -march, because treebench's other scalar kernels are compiled without it too. */
#define COMPILER_FLAGS "-O3", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-x", "c"

struct compiler {
    const struct codegen_writer *writer;
    const char *program;
    char version[MESSAGE_SIZE];
    char folder[PATH_MAX];
};

/* The compilation of one chunk. At most one job per core runs at a time. */
struct job {
    bool compiling;
    struct process process;
    char path[PATH_MAX], *temporary;
};

/* --- one chunk ---------------------------------------------------------------------------------*/
static enum status find_compiler(struct compiler *compiler, struct error *error) {
    const char *named = getenv("TREEBENCH_CC");
    compiler->program = named && named[0] ? named : "cc";
    const char *const argv[] = {compiler->program, "--version", NULL};
    struct process process;
    int exit_status = 127;
    enum status started = process_start(argv, NULL, 0, &process, error);
    if (started == STATUS_MEMORY)
        return started;
    if (started == STATUS_OK)
        process_finish(&process, compiler->version, sizeof compiler->version, &exit_status);
    if (exit_status != 0)
        return error_set(error, STATUS_MACHINE,
                         "%s: the C compiler '%s' %s. Install one (apt-get install gcc) or "
                         "name one in TREEBENCH_CC",
                         compiler->writer->impl, compiler->program,
                         started ? "cannot be run" : "does not work");
    return cache_folder(compiler->writer->impl, compiler->folder, error);
}

static enum status start_compiler(const struct compiler *compiler, const struct cache_part *source,
                                  struct job *job, struct error *error) {
    enum status status = cache_begin(job->path, &job->temporary, error);
    if (status)
        return status;
    const char *const argv[] = {compiler->program, COMPILER_FLAGS, "-o", job->temporary, "-", NULL};
    status = process_start(argv, source->data, source->size, &job->process, error);
    job->compiling = !status;
    if (status)
        temporary_remove(job->temporary);
    return status;
}

static enum status finish_compiler(const struct compiler *compiler, struct job *job,
                                   struct error *error) {
    char message[MESSAGE_SIZE];
    int exit_status;
    process_finish(&job->process, message, sizeof message, &exit_status);
    message[strcspn(message, "\n")] = '\0';
    if (exit_status == 0)
        return cache_store(job->temporary, job->path, error);
    temporary_remove(job->temporary);
    return error_set(error, STATUS_MACHINE,
                     "%s: %s failed with exit status %d: %s. Set TREEBENCH_CC to "
                     "use another compiler",
                     compiler->writer->impl, compiler->program, exit_status, message);
}

static enum status load(const struct compiler *compiler, const char *path, void **handle,
                        struct error *error) {
    const char *why = NULL;
    enum status status = loader_open(path, handle, &why);
    if (status == STATUS_MEMORY)
        return error_memory(error, "compiled trees");
    return status ? error_set(error, status, "%s: %s", compiler->writer->impl, why) : STATUS_OK;
}

static enum status generate(const struct codegen_writer *writer, const struct ensemble *ensemble,
                            const struct codegen_library *library, size_t chunk, char **text,
                            size_t *size, struct error *error) {
    FILE *stream = memory_open_stream(text, size);
    if (!stream)
        return error_memory(error, "generated source");
    struct span groups = library->chunks[chunk];
    enum status status = writer->write(writer->context, ensemble, library->trees + groups.begin,
                                       groups.end - groups.begin, stream, error);
    bool complete = memory_close_stream(stream);
    if (!status && !complete)
        status = error_memory(error, "generated source");
    if (status)
        free(*text);
    return status;
}

/* Loads the chunk from the cache, or starts to compile it. The chunk is compiled again if the
 * cached object is damaged or cannot be loaded, for example because it is for another architecture.
 */
static enum status begin_chunk(const struct compiler *compiler, const struct ensemble *ensemble,
                               struct codegen_library *library, size_t chunk, struct job *job,
                               struct error *error) {
    static const char *const flags[] = {COMPILER_FLAGS};
    char *text;
    size_t size;
    enum status status = generate(compiler->writer, ensemble, library, chunk, &text, &size, error);
    if (status)
        return status;
    struct cache_part parts[2 + sizeof flags / sizeof *flags] = {
        {text, size}, {compiler->version, strlen(compiler->version) + 1}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        parts[2 + i] = (struct cache_part){flags[i], strlen(flags[i]) + 1};
    struct cache_key key = cache_hash(parts, sizeof parts / sizeof *parts);
    status = cache_path(compiler->writer->impl, compiler->folder, &key, job->path, error);
    if (!status && !(cache_holds(job->path) &&
                     load(compiler, job->path, &library->handles[chunk], NULL) == STATUS_OK))
        status = start_compiler(compiler, &parts[0], job, error);
    free(text);
    return status;
}

/* --- all chunks --------------------------------------------------------------------------------*/

/* Compiles the chunks in waves. A wave has one job per core. Waits for all jobs of a wave even
 * after an error, so that no process is left behind. */
static enum status run_jobs(const struct compiler *compiler, const struct ensemble *ensemble,
                            struct codegen_library *library, struct job *jobs, size_t n_jobs,
                            struct error *error) {
    enum status status = STATUS_OK;
    for (size_t first = 0; first < library->n_chunks && !status; first += n_jobs) {
        size_t left = library->n_chunks - first, count = left < n_jobs ? left : n_jobs;
        for (size_t j = 0; j < count; j++) {
            jobs[j].compiling = false;
            if (!status)
                status = begin_chunk(compiler, ensemble, library, first + j, &jobs[j], error);
        }
        for (size_t j = 0; j < count; j++) {
            if (!jobs[j].compiling)
                continue;
            enum status finished = finish_compiler(compiler, &jobs[j], status ? NULL : error);
            if (!finished && !status)
                finished = load(compiler, jobs[j].path, &library->handles[first + j], error);
            status = status ? status : finished;
        }
    }
    return status;
}

static enum status load_chunks(const struct ensemble *ensemble, const struct codegen_writer *writer,
                               struct codegen_library *library, struct error *error) {
    struct cpu_info cpu;
    cpu_read_info(&cpu); /* counts only cores that this process, and so the compilers, may use */
    size_t n_jobs = cpu.cores > 0 ? cpu.cores : 1;
    if (n_jobs > library->n_chunks)
        n_jobs = library->n_chunks;
    struct compiler *compiler = malloc(sizeof *compiler);
    struct job *jobs = malloc((n_jobs + 1) * sizeof *jobs);
    enum status status;
    if (compiler && jobs) {
        compiler->writer = writer;
        status = find_compiler(compiler, error);
    } else {
        status = error_memory(error, "the compiler's jobs");
    }
    if (!status)
        status = run_jobs(compiler, ensemble, library, jobs, n_jobs, error);
    free(jobs);
    free(compiler);
    return status;
}

/* Returns the end of the longest run of trees that starts at `begin` and has at most
 * LEAVES_PER_CHUNK leaves. A larger tree is a run of its own. */
static size_t trees_end(const struct ensemble *ensemble, size_t begin, size_t limit) {
    size_t end = begin + 1;
    while (end < limit &&
           ensemble->tree_leaf[end + 1] - ensemble->tree_leaf[begin] <= LEAVES_PER_CHUNK)
        end++;
    return end;
}

static void divide(const struct ensemble *ensemble, size_t trees_per_group,
                   struct codegen_library *library) {
    size_t n_trees = ensemble->n_trees, chunk_end = 0;
    for (size_t begin = 0, end; begin < n_trees; begin = end) {
        if (begin == chunk_end) {
            chunk_end = trees_end(ensemble, begin, n_trees);
            library->chunks[library->n_chunks++] =
                (struct span){library->n_groups, library->n_groups};
        }
        end = chunk_end - begin > trees_per_group ? begin + trees_per_group : chunk_end;
        library->trees[library->n_groups++] = (struct span){begin, end};
        library->chunks[library->n_chunks - 1].end = library->n_groups;
    }
}

static enum status find_groups(struct codegen_library *library, const char *impl,
                               struct error *error) {
    for (size_t c = 0; c < library->n_chunks; c++) {
        struct span groups = library->chunks[c];
        codegen_function *const *table = dlsym(library->handles[c], CODEGEN_TABLE);
        if (!table)
            return error_set(error, STATUS_MACHINE, "%s: %s", impl, dlerror());
        for (size_t g = groups.begin; g < groups.end; g++)
            library->groups[g] = table[g - groups.begin];
    }
    return STATUS_OK;
}

/* --- sizes -------------------------------------------------------------------------------------*/
struct sizing {
    ElfW(Addr) address; /* where the object was loaded */
    size_t bytes;
};

static int add_segments(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct sizing *sizing = argument;
    if (info->dlpi_addr != sizing->address)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            sizing->bytes += info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static size_t loaded_bytes(const struct codegen_library *library) {
    size_t bytes = 0;
    for (size_t c = 0; c < library->n_chunks; c++) {
        struct link_map *map;
        if (!library->handles[c] || dlinfo(library->handles[c], RTLD_DI_LINKMAP, &map) != 0)
            continue;
        struct sizing sizing = {.address = map->l_addr};
        dl_iterate_phdr(add_segments, &sizing);
        bytes += sizing.bytes;
    }
    return bytes;
}

static bool allocate(struct codegen_library *library, size_t n_trees, struct memory_pool *pool) {
    library->trees = memory_pool_array(pool, n_trees, sizeof *library->trees);
    library->groups = memory_pool_array(pool, n_trees, sizeof *library->groups);
    library->chunks = memory_pool_array(pool, n_trees, sizeof *library->chunks);
    library->handles = memory_pool_array(pool, n_trees, sizeof *library->handles);
    return !pool->failed;
}

static enum status check_sizes(const struct ensemble *ensemble, const char *impl,
                               struct error *error) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        uint32_t n_nodes = ensemble_tree_nodes(ensemble, t);
        if (n_nodes > MAX_TREE_NODES)
            return error_set(
                error, STATUS_UNSUPPORTED,
                "%s: tree %u has %u inner nodes; compilers can handle at most %d. Use auto", impl,
                t, n_nodes, MAX_TREE_NODES);
    }
    return STATUS_OK;
}

enum status codegen_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct codegen_writer *writer, struct scorer **scorer,
                                 struct error *error) {
    enum status status = check_sizes(ensemble, writer->impl, error);
    struct codegen_scorer *made =
        status ? NULL : scorer_create(sizeof *made, impl, ensemble, 0, 1, error);
    if (!made)
        return status ? status : STATUS_MEMORY;
    struct codegen_library *library = &made->library;
    if (allocate(library, ensemble->n_trees, &made->scorer.pool)) {
        divide(ensemble, writer->trees_per_group, library);
        status = load_chunks(ensemble, writer, library, error);
        if (!status)
            status = find_groups(library, writer->impl, error);
        made->groups = library->groups;
        made->scorer.n_units = library->n_groups;
        made->scorer.bytes = library->n_groups * sizeof *made->groups + loaded_bytes(library);
    }
    return scorer_finish(&made->scorer, status, scorer, error);
}

void codegen_scorer_destroy(struct scorer *scorer) {
    const struct codegen_library *library = &((struct codegen_scorer *)scorer)->library;
    for (size_t c = 0; c < library->n_chunks; c++)
        if (library->handles[c])
            dlclose(library->handles[c]);
}
