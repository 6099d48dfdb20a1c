// The C library's functions that can be denied.
// SPDX-License-Identifier: MIT
#include "faults/denied.h"

#include "faults/faults.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace denied {
namespace {

std::atomic<int> armed_kind = -1;
std::atomic<long> first = 0, countdown = 0;
std::atomic<bool> from_then_on = false;
std::atomic<size_t> too_large = SIZE_MAX;
std::atomic<const char *> denied = nullptr;
std::atomic<long> held = 0;
thread_local bool is_foreign = false; // a driver's thread
thread_local bool is_test = false;    // the one that arms

bool denies(Kind kind, const char *name) {
    if (armed_kind.load() != static_cast<int>(kind) || is_foreign || faults_in_driver() || (is_test && calls == 0))
        return false;
    const long left = --countdown;
    if (left > 0 || (left < 0 && !from_then_on)) return false;
    denied = name;
    return true;
}

bool denies_memory(const char *name, size_t bytes) {
    if (bytes < too_large) return denies(Kind::kMemory, name);
    denied = name;
    return true;
}

template <class Function> Function *real(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

void *counted(void *memory) {
    if (memory != nullptr) ++held;
    return memory;
}

// With another error each time.
int no_file() {
    static std::atomic<unsigned> turn = 0;
    constexpr int kErrors[] = {ENOSPC, EROFS, EACCES, EIO, EMFILE};
    errno = kErrors[turn++ % std::size(kErrors)];
    return -1;
}

void tell(int signal) {
    const std::string text = "\ndied: " + where + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    std::signal(signal, SIG_DFL);
    raise(signal);
}

// A std::thread, as gpcl's are. Drivers set themselves up in functions that no layer sees.
bool is_std(void *(*run)(void *)) {
    Dl_info about{};
    return dladdr(reinterpret_cast<void *>(run), &about) != 0 && std::strstr(about.dli_fname, "libstdc++") != nullptr;
}

struct Start {
    void *(*run)(void *);
    void *argument;
};

void *run_foreign(void *data) {
    is_foreign = true;
    const Start start = *static_cast<Start *>(data);
    std::free(data);
    return start.run(start.argument);
}

} // namespace

std::string where;

void arm(Kind kind, long number, bool all) {
    static const bool told = [] {
        for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, tell);
        return true;
    }();
    static_cast<void>(told);
    is_test = true;
    denied = nullptr;
    first = number;
    countdown = number;
    from_then_on = all;
    armed_kind = static_cast<int>(kind);
}
void arm_large(size_t bytes) {
    denied = nullptr;
    too_large = bytes;
}
void disarm() {
    armed_kind = -1;
    too_large = SIZE_MAX;
}
const char *hit() { return denied; }
long asked() { return first - countdown; }
long blocks() { return held; }

} // namespace denied

using namespace denied;

extern "C" {

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t bytes) {
    if (denies_memory("malloc", bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    return counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes) {
    if (denies_memory("calloc", count * bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    return counted(__libc_calloc(count, bytes));
}

void *realloc(void *memory, size_t bytes) {
    if (denies_memory("realloc", bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void *result = __libc_realloc(memory, bytes);
    if (memory == nullptr && result != nullptr) ++held;
    return result;
}

void *memalign(size_t alignment, size_t bytes) {
    if (denies_memory("memalign", bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    return counted(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    *memory = memalign(alignment, bytes);
    return *memory == nullptr ? ENOMEM : 0;
}

void free(void *memory) {
    if (memory != nullptr) --held;
    __libc_free(memory);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static auto *const create = real<decltype(pthread_create)>("pthread_create");
    if (denies(Kind::kThreads, "pthread_create")) return EAGAIN;
    if (!faults_in_driver() && !is_foreign && is_std(run)) return create(thread, attributes, run, argument);
    auto *start = static_cast<Start *>(std::malloc(sizeof(Start)));
    *start = {run, argument};
    return create(thread, attributes, run_foreign, start);
}

int open(const char *path, int flags, ...) {
    static auto *const next = real<int(const char *, int, ...)>("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return denies(Kind::kFiles, "open") ? no_file() : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    static auto *const next = real<int(int, const char *, int, ...)>("openat");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return denies(Kind::kFiles, "openat") ? no_file() : next(folder, path, flags, mode);
}

ssize_t read(int file, void *to, size_t bytes) {
    static auto *const next = real<decltype(read)>("read");
    return denies(Kind::kFiles, "read") ? no_file() : next(file, to, bytes);
}

ssize_t write(int file, const void *from, size_t bytes) {
    static auto *const next = real<decltype(write)>("write");
    if (!denies(Kind::kFiles, "write")) return next(file, from, bytes);
    if (bytes > 1) static_cast<void>(next(file, from, bytes / 2) < 0);
    return no_file();
}

int close(int file) {
    static auto *const next = real<decltype(close)>("close");
    const int result = next(file);
    return denies(Kind::kFiles, "close") ? no_file() : result;
}

int fstat(int file, struct stat *about) {
    static auto *const next = real<int(int, struct stat *)>("fstat");
    return denies(Kind::kFiles, "fstat") ? no_file() : next(file, about);
}

int mkdir(const char *path, mode_t mode) {
    static auto *const next = real<decltype(mkdir)>("mkdir");
    return denies(Kind::kFiles, "mkdir") ? no_file() : next(path, mode);
}

int fchmod(int file, mode_t mode) {
    static auto *const next = real<decltype(fchmod)>("fchmod");
    return denies(Kind::kFiles, "fchmod") ? no_file() : next(file, mode);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    static auto *const next = real<decltype(renameat)>("renameat");
    return denies(Kind::kFiles, "renameat") ? no_file() : next(from_folder, from, to_folder, to);
}

int getentropy(void *to, size_t bytes) {
    static auto *const next = real<decltype(getentropy)>("getentropy");
    return denies(Kind::kFiles, "getentropy") ? no_file() : next(to, bytes);
}
}
