// Stores that go past the caches, and prefetches, where the compiler has them.
//
// Gives: GP_STREAM(value, to): stores an aligned vector without reading its line into a cache;
//        mem_fence must follow the last one. GP_ASK(at, writes): prefetches a line that is soon
//        read or, with writes = 1, written
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
