/* SANITIZERS: 1 if the test is compiled with sanitizers, which bring their own malloc and need more
 * stack. gcc and clang say so in two ways. */
#ifndef TESTS_SANITIZERS_H
#define TESTS_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZERS 1
#else
#define SANITIZERS 0
#endif

#endif
