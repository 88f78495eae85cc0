#include "export/names.h"

#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

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

static int compare(const void *name, const void *header) {
    return strcasecmp(name, *(const char *const *)header);
}

bool export_name_is_header(const char *name) {
    return bsearch(name, headers, sizeof headers / sizeof *headers, sizeof *headers, compare);
}
