// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/runs/runs.h"

#include "ops/place.h"

namespace gpcl::runs {
namespace {

// Runs of 4 elements.
void *runs_of_four(place::Sample &s) {
    const size_t size = dtype(s.dtype).size;
    auto *const keys = static_cast<std::byte *>(s.values(s.dtype, s.work));
    for (size_t i = 0; i < s.work; ++i) std::memcpy(keys + i * size, keys + i / 4 * 4 * size, size);
    return keys;
}

void sample_lengths(place::Sample &s) {
    const void *const in = runs_of_four(s);
    void *const values = s.room(s.work * dtype(s.dtype).size), *const lengths = s.room(s.work * sizeof(uint64_t));
    uint64_t count = 0;
    s.time([&] { return gp_run_lengths(s.context, s.dtype, s.work, in, values, GP_UINT64, lengths, &count, nullptr); });
}

void sample_by_key(place::Sample &s) {
    const void *const keys = runs_of_four(s), *const values = s.values(GP_FLOAT32, s.work);
    void *const out_keys = s.room(s.work * dtype(s.dtype).size), *const out_values = s.room(s.work * sizeof(float));
    uint64_t count = 0;
    s.time([&] {
        return gp_reduce_by_key(s.context, s.dtype, s.work, keys, GP_FLOAT32, values, out_keys, out_values, &count,
                                nullptr);
    });
}

} // namespace

const place::Kind kLengths = {"run-lengths", "elements", sample_lengths};
const place::Kind kByKey = {"reduce-by-key", "elements", sample_by_key};

} // namespace gpcl::runs
