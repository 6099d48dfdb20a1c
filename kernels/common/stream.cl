// Memory past the caches, and ahead of time, where the compiler has words for it.
//
// Gives: GP_STREAM(value, to): stores an aligned vector that a cache would only read to see it overwritten; mem_fence comes
//        after the last one. GP_ASK(at, writes): asks for a line that is read soon or, writes = 1, written
// SPDX-License-Identifier: MIT
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_builtin(__builtin_nontemporal_store)
#define GP_STREAM(value, to) __builtin_nontemporal_store(value, to)
#endif
#define GP_ASK(at, writes) __builtin_prefetch((const void *)(size_t)(at), writes)
#else
#define GP_ASK(at, writes)
#endif
#ifndef GP_STREAM
#define GP_STREAM(value, to) (*(to) = (value))
#endif
