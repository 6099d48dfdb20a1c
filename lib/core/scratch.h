// Work space of calls on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace gpcl {

// Memory for the time of a call, without values, which begins where a line of the cache does. Up to
// 16 MiB are kept for later calls of all threads: fresh pages take as long as the work on them.
class Scratch {
  public:
    explicit Scratch(size_t bytes);
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    ~Scratch();

    template <class T> T *as() { return static_cast<T *>(data_); }

  private:
    static constexpr size_t kLine = 64, kSmall = 8192;

    void *data_;
    size_t bytes_;
    alignas(kLine) std::byte small_[kSmall]; // serves where it is enough
};

// Gives back what is kept.
void trim_scratch();

} // namespace gpcl
