// Linux and other systems of POSIX.
// SPDX-License-Identifier: MIT
#include "core/system.h"

#if !defined(_WIN32)

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpcl {

size_t page_bytes() {
    static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

uint64_t memory_bytes() { return static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) * page_bytes(); }

void *allocate_pages(size_t bytes) { return std::aligned_alloc(page_bytes(), bytes); }
void free_pages(void *pointer) { std::free(pointer); }

void prefer_large_pages([[maybe_unused]] void *memory, [[maybe_unused]] size_t bytes) {
#if defined(MADV_HUGEPAGE)
    auto *const begin = static_cast<std::byte *>(memory);
    const size_t skipped = (page_bytes() - reinterpret_cast<uintptr_t>(begin) % page_bytes()) % page_bytes();
    if (bytes > skipped) static_cast<void>(madvise(begin + skipped, bytes - skipped, MADV_HUGEPAGE)); // or small ones
#endif
}

// The kernel refuses a mask that is smaller than its own, which one cpu_set_t is on machines of
// more than 1024 CPUs.
Cpus Cpus::of_this_thread() {
    Cpus cpus;
#if defined(__linux__)
    constexpr size_t kMostSets = 1024;
    for (size_t sets = 1; sets <= kMostSets; sets *= 2) {
        cpus.mask_.resize(sets * sizeof(cpu_set_t));
        if (sched_getaffinity(0, cpus.mask_.size(), reinterpret_cast<cpu_set_t *>(cpus.mask_.data())) == 0) return cpus;
        if (errno != EINVAL) break;
    }
    cpus.mask_.clear();
#endif
    return cpus;
}

size_t Cpus::count() const {
#if defined(__linux__)
    if (!mask_.empty())
        return static_cast<size_t>(CPU_COUNT_S(mask_.size(), reinterpret_cast<const cpu_set_t *>(mask_.data())));
#endif
    return std::thread::hardware_concurrency();
}

void Cpus::bind() const {
#if defined(__linux__)
    if (!mask_.empty())
        static_cast<void>(sched_setaffinity(0, mask_.size(), reinterpret_cast<const cpu_set_t *>(mask_.data())));
#endif
}

const char *safe_variable(const char *name) {
#if defined(__APPLE__)
    return issetugid() ? nullptr : std::getenv(name);
#else
    return secure_getenv(name);
#endif
}

void *open_library(const char *file, std::string &why) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) why = dlerror();
    return library;
}

void *find_symbol(void *library, const char *name) { return dlsym(library != nullptr ? library : RTLD_DEFAULT, name); }

int64_t process_id() { return getpid(); }

bool is_main_thread() {
#ifdef SYS_gettid
    return syscall(SYS_gettid) == getpid();
#else
    return false;
#endif
}

void at_fork(void (*child)()) { pthread_atfork(nullptr, nullptr, child); }

bool start_without_signals(const std::function<void()> &body) noexcept {
    sigset_t all, before;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
        std::thread(body).detach();
    } catch (...) {
        started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

} // namespace gpcl
#endif
