// Sample sort by two launches, for some ten thousand keys. Host side of
// kernels/sort/sample_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kItems = 4, kSamplesOfPart = 32;
constexpr size_t kMostParts = 128;

// Every work-group looks through all keys, so that what each costs grows with n.
const Parameter kMost = {GP_SORT,
                         "sample-bins",
                         "most",
                         "keys up to which it is chosen",
                         {1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18},
                         always<1 << 17>};
constexpr std::array kParameters = {&kMost};

// Work-groups as large as local memory has room for; smaller ones where it stands in for what the
// device lacks.
BinsShape shape(const cl::Context &context, const Request &r) {
    const size_t most = context.features().shuffles_in_local_memory() ? 256 : 1024;
    BinsShape shape{std::clamp(std::bit_floor(context.info().work_group_size), kLeastBinsGroup, most), kItems};
    while (shape.group > kLeastBinsGroup &&
           bins_bytes(context, r, shape, is_stable(r) ? sizeof(uint32_t) : 0) > context.features().local_bytes)
        shape.group /= 2;
    return shape;
}

// Parts have half as many keys as there is room for, or less.
size_t parts(const BinsShape &shape, size_t n) { return std::bit_ceil(ceil_div(2 * n, shape.most())); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const BinsShape needed = shape(context, r);
    const Refusal why = refuses_shape(context, needed.group,
                                      std::max(bins_bytes(context, r, needed, is_stable(r) ? sizeof(uint32_t) : 0),
                                               (kMostParts * kSamplesOfPart + 32) * dtype(r.dtype).size));
    if (why) return why;
    const size_t most = kMostParts * needed.most() / 2;
    return r.n <= most ? Refusal{} : Refusal{"it sorts up to ", most, " of these keys, and n is ", r.n};
}

bool fits(const cl::Context &context, const Request &r) { return r.n <= tuned(context, r.dtype, kMost); }

void run(cl::Task &task, const Request &r) {
    const BinsShape shape = sort::shape(task.context(), r);
    const size_t count = parts(shape, r.n), word = word_bytes(r);
    const cl::Operand splitters = task.work_space(count, sizeof(uint32_t));
    const cl::Operand keys = r.index != 0 || r.is_apart() ? r.keys : task.work_space(r.n, dtype(r.dtype).size);
    const cl::Operand values = word != 0 ? task.work_space(r.n, r.value_size) : cl::Operand{};
    const auto program = task.program(
        {"sort/sample_bins.cl", text(bins_options(task.context(), r, shape), " -DGP_MOST_PARTS=", kMostParts,
                                     r.is_apart() ? " -DGP_OTHER_MEMORY" : "")});
    const auto n = static_cast<uint32_t>(r.n);
    const auto samples = static_cast<uint32_t>(count > 1 ? count * kSamplesOfPart : 0);
    const uint32_t begin = r.begin_bit, width = r.end_bit - r.begin_bit;
    const uint64_t flip = flipped_bits(r);
    const auto counted = r.counted.argument();
    const auto range = cl::Range::groups(count, shape.group);
    const auto find_samples = [&](const auto &...copies) {
        task.launch(*program, "sort_samples", range, n, samples, begin, width, flip, r.keys, splitters, copies...,
                    counted);
    };
    const auto sort_parts = [&](const auto &...outputs) {
        task.launch(*program, "sort_sample_bins", range, n, begin, width, flip, keys, splitters, outputs..., counted);
    };
    if (word != 0) {
        const auto words = static_cast<uint32_t>(r.value_size / word);
        find_samples(keys, r.values, values, words);
        sort_parts(r.keys, r.values, values, words);
    } else if (r.index != 0) {
        find_samples();
        r.is_apart() ? sort_parts(r.indices, r.sorted) : sort_parts(r.indices);
    } else if (r.is_apart()) {
        find_samples();
        sort_parts(r.sorted);
    } else {
        find_samples(keys);
        sort_parts(r.keys);
    }
}

} // namespace

const Algorithm kSampleBins = {{"sample-bins", "sample sort of some ten thousand keys by two launches",
                                "Leischner, Osipov and Sanders, \"GPU Sample Sort\", 2010", false, Suits::kGpu, 0,
                                kShuffle},
                               refuses,
                               run,
                               fits,
                               kParameters,
                               kTakesCounted};

} // namespace gpcl::sort
