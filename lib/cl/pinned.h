// Host memory of the caller's that the device reaches directly, so that no copy of it goes through
// the link's slots.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/opencl.h"

#include <map>
#include <mutex>

namespace gpcl::cl {

// What of the host's memory is pinned for one context.
class PinnedRanges {
  public:
    struct Range {
        size_t bytes = 0;
        Ref<cl_mem> memory;     // what pins it; none where the device shares the host's memory
        void *mapped = nullptr; // where that is mapped to, less than a page before the range
        bool registered = false;
    };

    bool empty() const;
    // Do all these bytes lie in one range?
    bool contains(const void *pointer, size_t bytes) const;
    // Throws GP_ERROR_PINNED where the range shares a byte with another.
    void insert(void *pointer, Range range);
    // Gives the range that begins there what pins it.
    void hold(const void *pointer, Ref<cl_mem> memory);
    // The range that begins there, which is forgotten. Throws GP_ERROR_NOT_PINNED where there is
    // none of that kind.
    Range remove(const void *pointer, bool registered);
    // Forgets those that were registered.
    void unregister();

  private:
    mutable std::mutex mutex_;
    std::map<uintptr_t, Range> ranges_; // by where they begin
};

} // namespace gpcl::cl
