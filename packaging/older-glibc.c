// What libgpcl and GCC's C++ library take of glibc and version 2.28 lacks (see older-glibc.py).
// Where the C library has it too, the module that this is linked into takes it from here.
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char __libc_single_threaded = 0; // there may be other threads

// Until 2.33 stat() and its kin were compiled into each program.
#if defined(__x86_64__)
#define STRUCTURE 1
#else
#define STRUCTURE 0
#endif
int __xstat(int structure, const char *path, struct stat *result);
int __lxstat(int structure, const char *path, struct stat *result);
int __fxstat(int structure, int file, struct stat *result);
int stat(const char *path, struct stat *result) { return __xstat(STRUCTURE, path, result); }
int lstat(const char *path, struct stat *result) { return __lxstat(STRUCTURE, path, result); }
int fstat(int file, struct stat *result) { return __fxstat(STRUCTURE, file, result); }
int fstat64(int file, struct stat64 *result) { return __fxstat(STRUCTURE, file, (struct stat *)result); }

uint32_t arc4random(void) {
    uint32_t result;
    if (getentropy(&result, sizeof result) != 0) abort();
    return result;
}

#define SECOND 1000000000L
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    struct timespec now, real;
    if (clock_gettime(clock, &now) != 0) return EINVAL;
    clock_gettime(CLOCK_REALTIME, &real);
    real.tv_sec += until->tv_sec - now.tv_sec;
    real.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (real.tv_nsec < 0) {
        --real.tv_sec;
        real.tv_nsec += SECOND;
    } else if (real.tv_nsec >= SECOND) {
        ++real.tv_sec;
        real.tv_nsec -= SECOND;
    }
    return pthread_cond_timedwait(condition, mutex, &real);
}
