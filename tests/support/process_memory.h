// The memory of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

namespace test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature) // clang's
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

// Is this program sanitized, or, as GPCL_TEST_SANITIZED=1 says, the library alone? Sanitizers' own
// memory grows and needs address space without end.
inline bool is_sanitized() {
    const char *asked = std::getenv("GPCL_TEST_SANITIZED");
    return kIsSanitized || (asked != nullptr && *asked == '1');
}

inline size_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    size_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace test
