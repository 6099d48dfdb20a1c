// Windows.
// SPDX-License-Identifier: MIT
#include "core/system.h"

#if defined(_WIN32)

#include <cstdlib>
#include <malloc.h>
#include <system_error>
#include <thread>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace gpcl {

size_t page_bytes() {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

uint64_t memory_bytes() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

void *allocate_pages(size_t bytes) { return _aligned_malloc(bytes, page_bytes()); }
void prefer_large_pages(void *, size_t) {} // which take a privilege
void free_pages(void *pointer) { _aligned_free(pointer); }
Cpus Cpus::of_this_thread() { return {}; }
size_t Cpus::count() const { return std::thread::hardware_concurrency(); }
void Cpus::bind() const {}
const char *safe_variable(const char *name) { return std::getenv(name); }

void *open_library(const char *file, std::string &why) {
    HMODULE library = LoadLibraryA(file);
    if (library == nullptr)
        why = std::string(file) + ": " + std::system_category().message(static_cast<int>(GetLastError()));
    return library;
}

void *find_symbol(void *library, const char *name) {
    const HMODULE module = library != nullptr ? static_cast<HMODULE>(library) : GetModuleHandleA(nullptr);
    return reinterpret_cast<void *>(GetProcAddress(module, name));
}

int64_t process_id() { return GetCurrentProcessId(); }
bool is_main_thread() { return false; }
void at_fork(void (*)()) {} // processes don't fork

bool start_without_signals(const std::function<void()> &body) noexcept try {
    std::thread(body).detach();
    return true;
} catch (...) {
    return false;
}

} // namespace gpcl
#endif
