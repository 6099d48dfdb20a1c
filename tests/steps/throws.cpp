// Preloaded: writes down from where the library throws. For each place that a gpcl::Error passes on
// its way to the caller, a line goes to the file that GPCL_TEST_THROWS names: the module, and where
// in it the call returns to. Each once in a process. Takes no memory, which tests may deny. Read by
// coverage.py.
// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <typeinfo>

namespace {

constexpr size_t kMost = 1 << 16; // more than there are
std::array<std::atomic<void *>, kMost> seen;

bool is_new(void *place) {
    for (size_t i = reinterpret_cast<uintptr_t>(place) % kMost;; i = (i + 1) % kMost) {
        void *there = nullptr;
        if (seen[i].compare_exchange_strong(there, place)) return true;
        if (there == place) return false;
    }
}

void note(const char *file) {
    std::array<void *, 32> places{};
    const int count = backtrace(places.data(), static_cast<int>(places.size()));
    for (int i = 0; i < count; ++i) {
        Dl_info found;
        if (!is_new(places[i]) || dladdr(places[i], &found) == 0 || strstr(found.dli_fname, "gpcl") == nullptr)
            continue;
        char line[4200];
        const int length = snprintf(line, sizeof line, "%s %tx\n", found.dli_fname,
                                    static_cast<char *>(places[i]) - static_cast<char *>(found.dli_fbase));
        const int to = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (to < 0 || write(to, line, static_cast<size_t>(length)) != length) abort();
        close(to);
    }
}

[[gnu::constructor]] void prepare() {
    void *place = nullptr;
    backtrace(&place, 1); // which takes memory the first time
}

} // namespace

extern "C" [[noreturn]] void __cxa_throw(void *object, std::type_info *type, void (*destroy)(void *)) {
    using Throw = void (*)(void *, std::type_info *, void (*)(void *));
    static const auto next = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
    const char *const file = getenv("GPCL_TEST_THROWS");
    if (file != nullptr && strstr(type->name(), "gpcl5Error") != nullptr) note(file);
    next(object, type, destroy);
    abort();
}
