// Sorts to other memory than that of the keys.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include <algorithm>

namespace gpcl::sort {
namespace {

// Algorithms that take keys from one place and sort them to another.
constexpr std::array<const Algorithm *, 5> kTakeApart = {&kSampleBins, &kSplitOnce, &kSplit, &kOnesweep, &kRadixTiles};

} // namespace

void run_apart(cl::Task &task, const Request &r) {
    Request in_place = r;
    in_place.sorted = {};
    const size_t key_size = dtype(r.dtype).size;
    if (r.n < 2) {
        task.copy(r.keys, r.sorted, r.n, key_size);
        if (r.index != 0 && r.n == 1) task.clear(r.indices, dtype(r.index).size / sizeof(uint32_t));
        return;
    }
    const Algorithm &algorithm = choose_for(task.context(), nullptr, in_place);
    const auto is = [&](const Algorithm *one) { return algorithm.run == one->run; };
    if (std::any_of(kTakeApart.begin(), kTakeApart.end(), is)) return algorithm.run(task, r);
    if (r.index != 0) { // the order tells where sorted keys come from
        algorithm.run(task, in_place);
        return fetch_keys(task, r);
    }
    task.copy(r.keys, r.sorted, r.n, key_size);
    in_place.keys = r.sorted;
    algorithm.run(task, in_place);
}

} // namespace gpcl::sort
