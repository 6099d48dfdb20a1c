// Sorts on several devices: each takes some of the rows, or a part of the one array, and the host
// merges the sorted parts. The merge is stable, as the sorts are, so that the result has the same
// bits as that of one device.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "core/scratch.h"
#include "host/parallel.h"
#include "ops/sort/sort.h"

#include <cstring>
#include <numeric>

namespace gpcl::sort {
namespace {

size_t index_size(const Request &r) { return r.index != 0 ? dtype(r.index).size : 0; }

// Bytes of a key, of its value and of its index.
size_t bytes_of(const Request &r) { return dtype(r.dtype).size + r.value_size + index_size(r); }

void copy(void *to, const void *from, size_t bytes) {
    constexpr size_t kBlock = size_t{1} << 20, kBlockCost = 200'000; // nanoseconds
    host::parallel_for(ceil_div(bytes, kBlock), kBlockCost, [&](size_t block) {
        const size_t at = block * kBlock;
        std::memcpy(element(to, at, 1), element(from, at, 1), std::min(kBlock, bytes - at));
    });
}

void count_up(void *indices, gp_dtype index, size_t begin, size_t end) {
    if (index == GP_UINT32) {
        auto *const all = static_cast<uint32_t *>(indices);
        std::iota(all + begin, all + end, static_cast<uint32_t>(begin));
    } else {
        auto *const all = static_cast<uint64_t *>(indices);
        std::iota(all + begin, all + end, uint64_t{begin});
    }
}

void sort_rows(place::Deal &deal, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    deal.on_devices([&](const place::Share &share, size_t) {
        gp_sort_options mine = place::part_options(options);
        mine.batch = share.count();
        mine.stride = whole.stride;
        const size_t at = share.begin * whole.stride;
        void *const keys = element(host.keys, at, dtype(whole.dtype).size);
        if (whole.index != 0)
            return gp_argsort(share.device, whole.dtype, whole.n, keys, whole.index,
                              element(host.indices, at, index_size(whole)), &mine);
        if (whole.value_size == 0) return gp_sort(share.device, whole.dtype, whole.n, keys, &mine);
        return gp_sort_pairs(share.device, whole.dtype, whole.n, keys, whole.value_size,
                             element(host.values, at, whole.value_size), &mine);
    });
}

// Merges the devices' sorted parts.
void merge(place::Deal &deal, const Request &whole, const void *keys, void *out, size_t value_size, const void *values,
           void *out_values) {
    std::vector<uint64_t> offsets = {0};
    for (const place::Share &share : deal.shares()) offsets.push_back(share.end);
    gp_merge_runs_options order = GP_MERGE_RUNS_OPTIONS_INIT;
    order.order = whole.descending ? GP_DESCENDING : GP_ASCENDING;
    const size_t runs = deal.shares().size();
    deal.on_host([&](gp_context *on) {
        if (value_size == 0) return gp_merge_runs(on, whole.dtype, whole.n, keys, runs, offsets.data(), out, &order);
        return gp_merge_runs_pairs(on, whole.dtype, whole.n, keys, runs, offsets.data(), out, value_size, values,
                                   out_values, &order);
    });
}

// In place, and from there to memory of the call's own and back.
void sort_array(place::Deal &deal, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    const size_t size = dtype(whole.dtype).size;
    Scratch merged(whole.n * size), merged_values(whole.n * whole.value_size);
    deal.on_devices([&](const place::Share &share, size_t) {
        const gp_sort_options mine = place::part_options(options);
        void *const keys = element(host.keys, share.begin, size);
        if (whole.value_size == 0) return gp_sort(share.device, whole.dtype, share.count(), keys, &mine);
        return gp_sort_pairs(share.device, whole.dtype, share.count(), keys, whole.value_size,
                             element(host.values, share.begin, whole.value_size), &mine);
    });
    merge(deal, whole, host.keys, merged.as<void>(), whole.value_size, host.values, merged_values.as<void>());
    deal.on_host([&](gp_context *) {
        copy(host.keys, merged.as<void>(), whole.n * size);
        copy(host.values, merged_values.as<void>(), whole.n * whole.value_size);
        return gp_status{GP_SUCCESS};
    });
}

// The keys stay as they are: a copy of them is sorted, with their indices as values.
void argsort_array(place::Deal &deal, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    const size_t size = dtype(whole.dtype).size, value_size = index_size(whole);
    Scratch keys(whole.n * size), indices(whole.n * value_size), merged(whole.n * size);
    deal.on_devices([&](const place::Share &share, size_t) {
        const gp_sort_options mine = place::part_options(options);
        void *const from = element(keys.as<void>(), share.begin, size);
        std::memcpy(from, element(host.keys, share.begin, size), share.count() * size);
        count_up(indices.as<void>(), whole.index, share.begin, share.end);
        return gp_sort_pairs(share.device, whole.dtype, share.count(), from, value_size,
                             element(indices.as<void>(), share.begin, value_size), &mine);
    });
    merge(deal, whole, keys.as<void>(), merged.as<void>(), value_size, indices.as<void>(), host.indices);
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_sort_options &options, const HostArrays &host) {
    const bool can_be_cut = !whole.has_segments && (whole.batch > 1 || whole_keys(whole)); // merges look at whole keys
    const double bytes = elements_of(whole.rows()) * static_cast<double>(2 * bytes_of(whole));
    place::Deal deal(context, "sort", can_be_cut ? units_of(whole.rows()) : 0, bytes, options);
    if (!deal) return false;
    if (whole.batch > 1)
        sort_rows(deal, whole, options, host);
    else if (whole.index != 0)
        argsort_array(deal, whole, options, host);
    else
        sort_array(deal, whole, options, host);
    deal.end();
    return true;
}

} // namespace gpcl::sort
