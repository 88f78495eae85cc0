#include "dropin/real.h"

#include "base/loader.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Is a function of this very library? Its file may have been installed under the real one's name.
 */
static bool is_own(void *address) {
    static const char own[1];
    Dl_info here, there;
    return dladdr(own, &here) && dladdr(address, &there) && here.dli_fbase == there.dli_fbase;
}

static bool has_probe(const struct real_library *library, void *handle) {
    void *address = dlsym(handle, library->probe);
    return address && !is_own(address);
}

/* Loads the file, unless it lacks the function or is this library. */
static bool open_file(struct real_library *library, const char *file) {
    void *handle = NULL;
    const char *why = NULL;
    if (loader_open(file, &handle, &why)) {
        error_set(&library->why, STATUS_MACHINE, "%s", why ? why : "out of memory");
        return false;
    }
    if (!has_probe(library, handle)) {
        error_set(&library->why, STATUS_MACHINE, "%s: not the library of %s", file, library->title);
        dlclose(handle);
        return false;
    }
    library->handle = handle;
    return true;
}

void real_open(struct real_library *library) {
    const char *named = getenv(library->variable);
    if (named && *named) {
        open_file(library, named);
        return;
    }
    if (has_probe(library, RTLD_NEXT)) {
        library->handle = RTLD_NEXT;
        return;
    }
    for (size_t i = 0; i < 3 && library->files[i]; i++)
        if (open_file(library, library->files[i]))
            return;
}

bool real_is_here(struct real_library *library) {
    pthread_once(&library->once, library->find);
    return library->handle != NULL;
}

static enum status refuse(const struct real_library *library, const struct real_call *call,
                          struct error *error) {
    if (library->handle)
        return error_set(error, STATUS_MACHINE,
                         "%s: neither treebench nor the %s that was found has this call",
                         call->name, library->title);
    return error_set(error, STATUS_MACHINE,
                     "%s: treebench does not serve this call, and %s is missing (%s). Set %s to "
                     "the path of its library",
                     call->name, library->title, library->why.text, library->variable);
}

enum status real_find(struct real_library *library, struct real_call *call, void *function,
                      struct error *error) {
    void *address = atomic_load_explicit(&call->address, memory_order_acquire);
    if (!address) {
        if (real_is_here(library))
            address = dlsym(library->handle, call->name);
        if (!address)
            return refuse(library, call, error);
        atomic_store_explicit(&call->address, address, memory_order_release);
    }
    memcpy(function, &address, sizeof address);
    return STATUS_OK;
}
