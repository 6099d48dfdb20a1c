// Makes data, and times calls.
// SPDX-License-Identifier: MIT
#include "place/sample.h"

#include "place/clock.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpcl::place {
namespace {

// splitmix64
class Random {
  public:
    uint64_t next() {
        uint64_t x = state_ += 0x9E3779B97F4A7C15U;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31);
    }

  private:
    uint64_t state_ = 1;
};

bool is_refusal(gp_status status) {
    return status == GP_ERROR_UNSUPPORTED_TYPE || status == GP_ERROR_UNSUPPORTED_DEVICE ||
           status == GP_ERROR_ALGORITHM_REFUSED || status == GP_ERROR_TOO_LARGE;
}

} // namespace

constinit thread_local Trial *Trial::now_ = nullptr;

void *Sample::keep(size_t bytes, bool cleared) {
    // Uninitialised, in whole words.
    memory_.emplace_back(new std::byte[bytes / sizeof(uint64_t) * sizeof(uint64_t) + 2 * sizeof(uint64_t)]);
    if (cleared) std::memset(memory_.back().get(), 0, bytes);
    return memory_.back().get();
}

void *Sample::values(gp_dtype type, size_t count) {
    const size_t size = gpcl::dtype(type).size, words = (count * size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    void *const all = keep(count * size, false);
    Random random;
    if (type == GP_FLOAT32) {
        std::generate_n(static_cast<float *>(all), count,
                        [&] { return static_cast<float>(random.next() >> 40) * 0x1p-24F; });
    } else if (type == GP_FLOAT64) {
        std::generate_n(static_cast<double *>(all), count,
                        [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; });
    } else if (type == GP_FLOAT16) { // below 0x3c00, which is 1
        std::generate_n(static_cast<uint16_t *>(all), count,
                        [&] { return static_cast<uint16_t>(random.next() % 0x3c00); });
    } else {
        std::generate_n(static_cast<uint64_t *>(all), words, [&] { return random.next(); });
    }
    return all;
}

std::function<const void *()> Sample::changing_values(gp_dtype type, size_t count) {
    constexpr size_t kEnough = size_t{1} << 18, kMost = 16;
    const size_t slices = std::clamp(kEnough / std::max(count, size_t{1}), size_t{1}, kMost);
    const auto *const all = static_cast<const std::byte *>(values(type, slices * count));
    const size_t bytes = count * gpcl::dtype(type).size;
    return [=, next = size_t{0}]() mutable { return all + next++ % slices * bytes; };
}

double Sample::time_on(Side side, const std::function<gp_status()> &call, const std::function<void()> &before) {
    const Trial trial(side, &cost_);
    gp_status status = GP_SUCCESS;
    const auto turn = [&] {
        before();
        return time_of([&] { status = call(); });
    };
    turn(); // builds programs, and finds memory
    if (is_refusal(status)) return std::numeric_limits<double>::infinity();
    std::vector<double> times;
    double sum = 0;
    const double enough = thorough_ ? 1e8 : 2e7;
    const size_t most = thorough_ ? 31 : 15;
    while (status == GP_SUCCESS && (times.size() < 3 || (times.size() < most && sum < enough))) {
        times.push_back(turn());
        sum += times.back();
    }
    is_sound_ = is_sound_ && status == GP_SUCCESS;
    // Other work on the machine makes turns longer, and none shorter.
    const auto quartile = times.begin() + static_cast<ptrdiff_t>(times.size() / 4);
    std::nth_element(times.begin(), quartile, times.end());
    return times.empty() ? 0 : *quartile;
}

void Sample::time(const std::function<gp_status()> &call, const std::function<void()> &before) {
    point_.host = time_on(Side::kHost, call, before);
    point_.work = cost_.work;
    point_.up = bytes_of(cost_.up);
    point_.down = bytes_of(cost_.down);
    if (is_sound_ && (thorough_ || point_.host >= least_device_(cost_)))
        point_.device = time_on(Side::kDevice, call, before);
}

} // namespace gpcl::place
