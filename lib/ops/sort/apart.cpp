// Sorts to other memory than that of the keys.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include <algorithm>

namespace gpcl::sort {
namespace {

// Algorithms that take keys from one place and sort them to another; and those that do so with
// values, in a single pass.
constexpr std::array<const Algorithm *, 5> kTakeKeys = {&kSampleBins, &kSplitOnce, &kSplit, &kOnesweep, &kRadixTiles};
constexpr std::array<const Algorithm *, 2> kTakePairs = {&kOnesweep, &kRadixTiles};

bool takes_apart(const Algorithm &algorithm, const Request &r) {
    const auto is = [&](const Algorithm *one) { return algorithm.run == one->run; };
    if (r.value_size == 0) return std::any_of(kTakeKeys.begin(), kTakeKeys.end(), is);
    return values_travel(r) && digits(r).passes == 1 && std::any_of(kTakePairs.begin(), kTakePairs.end(), is);
}

} // namespace

void run_apart(cl::Task &task, const Request &r) {
    Request in_place = r;
    in_place.sorted = in_place.sorted_values = {};
    const size_t key_size = dtype(r.dtype).size;
    if (r.n < 2) {
        task.copy(r.keys, r.sorted, r.n, key_size);
        if (r.value_size != 0) task.copy(r.values, r.sorted_values, r.n, r.value_size);
        if (r.index != 0 && r.n == 1) task.clear(r.indices, dtype(r.index).size / sizeof(uint32_t));
        return;
    }
    const Algorithm &algorithm = choose_for(task.context(), nullptr, in_place);
    if (takes_apart(algorithm, r)) return algorithm.run(task, r);
    if (r.index != 0) { // the order tells where sorted keys come from
        algorithm.run(task, in_place);
        return fetch_keys(task, r);
    }
    task.copy(r.keys, r.sorted, r.n, key_size);
    in_place.keys = r.sorted;
    if (r.value_size != 0) {
        task.copy(r.values, r.sorted_values, r.n, r.value_size);
        in_place.values = r.sorted_values;
    }
    algorithm.run(task, in_place);
}

} // namespace gpcl::sort
