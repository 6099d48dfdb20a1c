// Running sums by key, beside CUB's. peers_cuda.cu includes it behind cuda_select.cuh, whose keys
// it takes.
// SPDX-License-Identifier: MIT
#pragma once

namespace scans_by_key {

// Sums of small whole numbers, which are exact in any type.
template <typename T>
void sums(const Context &context, Table &table, size_t n, size_t mean, const char *type, double copy) {
    const auto keys = selects::runs_of<uint32_t>(n, mean);
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(random_bits(uint64_t{12} << 40, i) % (mean == 0 ? 2 : 9));
    if (mean == 0 && n > 1 << 24 && std::is_same_v<T, float>) std::fill(values.begin() + (1 << 24), values.end(), T(0));
    const Buffer<uint32_t> in(context, keys);
    const Buffer<T> our_values(context, values);
    Buffer<T> ours(context, n);
    const Memory<uint32_t> their_in(keys);
    const Memory<T> their_values(values), theirs(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_scan_by_key(context, GP_UINT32, n, in, 0, peers::dtype<T>(),
                                                               our_values, 0, ours, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceScan::InclusiveSumByKey(space, bytes, their_in.get(), their_values.get(),
                                                                  theirs.get(), static_cast<int>(n));
                    }));
    table.row(selects::called("scan by key", mean).c_str(), type, size_text(n), times, "CUB",
              static_cast<double>(n * (4 + 2 * sizeof(T))), "GB/s", copy, ours.values() == theirs.values());
}

void all(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28}))
        for (const size_t mean : {1, 2, 10, 1000, 0}) {
            sums<float>(context, table, n, mean, "float32", settings.copy);
            if (n >= 1 << 20 && mean == 10) sums<uint64_t>(context, table, n, mean, "uint64", settings.copy);
        }
}

} // namespace scans_by_key
