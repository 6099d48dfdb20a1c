// A call that is made to be timed, on the host and on the device.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "place/kind.h"

#include <functional>
#include <memory>
#include <vector>

namespace gpcl::place {

// What a sample measured.
struct Point {
    double work = 0, up = 0, down = 0; // as the call told them
    double host = 0, device = 0; // nanoseconds; infinity: it can't run there. device 0: not measured, since the host
                                 // ends before any command of the device could
};

class Sample {
  public:
    // `least_device(cost)`: the time below which no call ends on the device. `thorough`: more
    // turns, and the device is timed even where the host wins anyway.
    Sample(gp_context *context, gp_dtype dtype, size_t work, bool thorough,
           std::function<double(const Cost &)> least_device)
        : context(context), dtype(dtype), work(work), thorough_(thorough), least_device_(std::move(least_device)) {}

    gp_context *const context;
    const gp_dtype dtype;
    const size_t work; // how much there is to be, about

    // Memory until the end of the sample: random values of a type, integers of all their bits,
    // floats from 0 to 1; and zeros.
    void *values(gp_dtype type, size_t count);
    // As many values, of which each call of the function gives others: a CPU learns the branches of
    // a short sort that is made again.
    std::function<const void *()> changing_values(gp_dtype type, size_t count);
    template <class T = void> T *room(size_t bytes) { return static_cast<T *>(keep(bytes, true)); }

    // Times a call of the C interface that chooses its place once. `before` puts back what it
    // changes, and is not timed.
    void time(
        const std::function<gp_status()> &call, const std::function<void()> &before = [] {});

    const Point &point() const { return point_; }
    // Did it end as it should on both sides, or was refused there?
    bool is_sound() const { return is_sound_; }

  private:
    void *keep(size_t bytes, bool cleared);
    double time_on(Side side, const std::function<gp_status()> &call, const std::function<void()> &before);

    bool thorough_, is_sound_ = true;
    std::function<double(const Cost &)> least_device_;
    Cost cost_;
    Point point_;
    std::vector<std::unique_ptr<std::byte[]>> memory_;
};

// While it lives, calls of this thread run on that side, and tell what they cost.
class Trial {
  public:
    explicit Trial(Side side, Cost *cost = nullptr) : side_(side), cost_(cost), outer_(now_) { now_ = this; }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;
    ~Trial() { now_ = outer_; }

    static const Trial *now() { return now_; }
    Side side() const { return side_; }
    void note(const Cost &cost) const {
        if (cost_ != nullptr) *cost_ = cost;
    }

  private:
    Side side_;
    Cost *cost_;
    Trial *outer_;
    static constinit thread_local Trial *now_;
};

// Bytes of all arrays.
inline double bytes_of(const std::array<Array, 4> &arrays) {
    double sum = 0;
    for (const Array &array : arrays) sum += array.bytes;
    return sum;
}

} // namespace gpcl::place
