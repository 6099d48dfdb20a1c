// The host side that steps of the ladder have in common.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"

#include "core/size.h"
#include "ops/scan/scan.h"
#include "ops/sort/passes.h"

#include <algorithm>
#include <bit>

namespace gpcl::sort {
namespace {

using cl::Operand;

constexpr unsigned kBucketBits = 4;
constexpr size_t kBuckets = size_t{1} << kBucketBits;
constexpr size_t kCounterBytes = kBuckets * sizeof(uint32_t); // of a work-item

} // namespace

Refusal refuses_step(const Request &r, bool stable) {
    if (r.value_size != 0 || r.index != 0) return "it sorts keys alone, without values or indices";
    if (!whole_keys(r)) return "it orders by whole keys, not by a range of their bits";
    if (!stable && is_float(r.dtype)) return "it is not stable, which shows on floating-point keys (-0 and +0, NaN)";
    return {};
}

cl::Range work_items(const cl::Context &context, size_t items, size_t most) {
    const size_t allowed = std::min({size_t{256}, most, context.info().work_group_size});
    const size_t group = std::min(std::bit_floor(allowed), std::bit_ceil(items));
    return cl::Range::groups(ceil_div(items, group), group);
}

Refusal refuses_network(const cl::Context &, const Request &r) {
    constexpr size_t kMost = size_t{1} << 31; // so that 32 bits hold every place in the padded array
    if (r.n > kMost) return {"it sorts up to 2^31 keys, and n is ", r.n};
    return refuses_step(r, false);
}

void run_network(cl::Task &task, const Request &r, const std::function<void(const Operand &, uint32_t)> &network) {
    const size_t size = std::bit_ceil(r.n);
    if (size == r.n) return network(r.keys, static_cast<uint32_t>(size));
    const size_t key_size = dtype(r.dtype).size;
    const uint64_t last = ~flipped_bits(r); // GP_LAST of keys.cl, in the low bytes, which come first
    const Operand padded = task.work_space(size * key_size);
    task.copy(r.keys, padded, r.n, key_size);
    task.fill(padded.memory, r.n * key_size, (size - r.n) * key_size, &last, key_size);
    network(padded, static_cast<uint32_t>(size));
    task.copy(padded, r.keys, r.n, key_size);
}

Refusal refuses_blocks(const cl::Context &context, const Request &r, const Blocks &blocks) {
    const size_t local_bytes = context.info().local_bytes;
    if (blocks.local && local_bytes < kCounterBytes)
        return {"a work-item needs ", kCounterBytes, " bytes of local memory; the device has ", local_bytes};
    return refuses_step(r, true);
}

void run_blocks(cl::Task &task, const Request &r, const Blocks &blocks) {
    const auto &context = task.context();
    const auto program = task.program({blocks.file, key_options(r) + text(" -DGP_BLOCK=", blocks.keys)});
    const size_t most = blocks.local ? context.info().local_bytes / kCounterBytes : SIZE_MAX;
    const cl::Range items = work_items(context, ceil_div(r.n, blocks.keys), most);
    const cl::LocalMemory local{items.local[0] * kCounterBytes};
    const size_t key_size = dtype(r.dtype).size;
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);

    scan::Request scan;
    scan.dtype = GP_UINT32;
    scan.n = items.global[0] * kBuckets;
    scan.exclusive = true;
    scan.in = scan.out = task.work_space(scan.n * sizeof(uint32_t));
    const scan::Algorithm &scan_algorithm = choose_kernels(scan::algorithms(), context, scan);

    Operand from = r.keys, to = task.work_space(n * key_size);
    for (uint32_t shift = 0; shift < 8 * key_size; shift += kBucketBits) {
        const auto launch = [&](const char *kernel, const auto &...operands) {
            if (blocks.local)
                task.launch(*program, kernel, items, n, shift, flip, operands..., local);
            else
                task.launch(*program, kernel, items, n, shift, flip, operands...);
        };
        launch(blocks.count, from, scan.in);
        scan_algorithm.run(task, scan);
        launch(blocks.permute, from, to, scan.out);
        std::swap(from, to);
    } // twice a byte, so that the keys end in their own memory
}

} // namespace gpcl::sort
