#include "harness/rows/libraries.h"

#include "impls/scorer.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_SIZE = 64 };

static const cJSON *libraries_of(const cJSON *manifest) {
    return cJSON_GetObjectItemCaseSensitive(manifest, "libraries");
}

static void cut_name(const char *variant, char name[VERSION_SIZE]) {
    snprintf(name, VERSION_SIZE, "%.*s", (int)strcspn(variant, ",@"), variant);
}

void libraries_add(cJSON *manifest, const char *variant) {
    char name[VERSION_SIZE], version[VERSION_SIZE];
    cut_name(variant, name);
    const struct impl *impl = impl_find(name, NULL);
    if (!impl || libraries_version(manifest, name))
        return;
    impl_version(impl, version, sizeof version);
    if (*version == '\0')
        return;
    cJSON *libraries = cJSON_GetObjectItemCaseSensitive(manifest, "libraries");
    if (!libraries)
        libraries = cJSON_AddObjectToObject(manifest, "libraries");
    cJSON_AddStringToObject(libraries, name, version);
}

const char *libraries_version(const cJSON *manifest, const char *variant) {
    char name[VERSION_SIZE];
    cut_name(variant, name);
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(libraries_of(manifest), name));
}

void libraries_describe(const cJSON *manifest, char *text, size_t size) {
    const cJSON *item;
    *text = '\0';
    cJSON_ArrayForEach(item, libraries_of(manifest)) {
        size_t length = strlen(text);
        if (cJSON_IsString(item))
            snprintf(text + length, size - length, "%s%s", length ? "; " : "", item->valuestring);
    }
}
