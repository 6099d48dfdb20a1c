// Radix sort that splits keys by their two leading digits and finishes each bin in local memory. Host side of
// kernels/sort/split_count.cl, split.cl, split_finish.cl and split_pieces.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/onesweep.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kBins = kDigits * kDigits;
constexpr size_t kState = kBins + 3 * kDigits + 5;                  // uint32s: see kernels/sort/split_state.cl
constexpr size_t kSamples = 8192;                                   // that cut the key space
constexpr size_t kPieces = 2 * kState + 2 * kSamples + kDigits + 1; // uint32s of both states, with pieces
constexpr size_t kPieceBytes = 13 << 10;                            // of local memory
constexpr size_t kCounters = 1024;                                  // work-items of a work-group that counts

struct Shape {
    size_t group, keys, groups_per_unit;
    size_t most() const { return group * keys; }
};

// Measured on an H200, microseconds of the first split, uint32, n = 2^28: 512 x 24 x 2: 862; 1024 x 24 x 1: 926; 384 x 20 x 3:
// 1076; 512 x 16 x 3: 1138; 256 x 28 x 4: 1166. uint64, n = 2^27: 512 x 16 x 2: 766; 1024 x 16 x 1: 725 (the second one: 741,
// 768); 384 x 12 x 3: 908; 512 x 10 x 3: 942; 256 x 14 x 4: 1012.
Shape split_shape(const Request &r) { return dtype(r.dtype).size == 8 ? Shape{512, 16, 2} : Shape{512, 24, 2}; }

// Half as many keys again as a bin has where all bins have the same. A few numbers of keys a work-item are enough, lest
// each n be another program. Measured as above, the same n: 512 x 12 x 2: 1618, 256 x 24 x 4: 1776; uint64: 256 x 12 x 4: 946,
// 128 x 24 x 8: 2268 (spills).
Shape finish_shape(const Request &r) {
    const size_t mean = ceil_div(r.n, kBins);
    const size_t group = std::clamp(std::bit_ceil(ceil_div(mean, size_t{8})), size_t{128}, size_t{1024});
    return {group, round_up(ceil_div(3 * mean, 2 * group), size_t{4}), 1024 / group};
}

// Twice as many keys as a bin has in the mean, since pieces come from samples.
Shape piece_shape(const Request &r) {
    const size_t mean = ceil_div(r.n, kBins);
    const size_t group = std::clamp(std::bit_ceil(ceil_div(mean, size_t{4})), size_t{128}, size_t{1024});
    return {group, std::min(round_up(ceil_div(2 * mean, group), size_t{4}), size_t{12}), 1024 / group};
}

// Equal keys can be told apart only by what comes with them.
bool stable(const Request &r) { return travelling_bytes(r) != 0; }

// Are keys split by pieces of the key space where leading digits do not suit? Those of 4 bytes are not: to onesweep they
// are four passes only, which is hardly slower.
bool by_pieces(const Request &r) { return dtype(r.dtype).size == 8 && !stable(r); }

std::string refuses(cl::Task &task, const Request &r) {
    const size_t key_size = dtype(r.dtype).size;
    if (key_size < 4) return "it sorts keys of 4 and 8 bytes";
    if (is_float(r.dtype)) return "it sorts integers, of which equal ones are the same bits";
    if (travelling_bytes(r) > 8) return "it takes values of up to 8 bytes";
    if (!whole_keys(r)) return "it orders by whole keys, not by a range of their bits";
    const Shape finish = finish_shape(r);
    const size_t most = key_size == 4 && !stable(r) ? 24 : 12; // that registers hold
    if (finish.keys > most) return text("bins would hold ", finish.most(), " keys");
    const auto &context = task.context();
    const size_t key_bytes = key_size + (stable(r) ? travelling_bytes(r) + sizeof(uint16_t) : 0);
    const Shape piece = piece_shape(r);
    const size_t most_keys = by_pieces(r) ? std::max(finish.most(), piece.most()) : finish.most();
    const size_t most_group = by_pieces(r) ? std::max(finish.group, piece.group) : finish.group;
    const size_t bytes =
        std::max(kBins * sizeof(uint16_t), most_keys * key_bytes + 17 * most_group * sizeof(uint32_t)) + 64 +
        (by_pieces(r) ? kPieceBytes : 0);
    // NVIDIA's compiler gives more than the device says.
    const size_t there = context.is_hopper() ? size_t{224} << 10 : context.info().local_bytes;
    if (bytes > there) return text("it needs ", bytes, " bytes of local memory; the device has ", there);
    if (context.info().work_group_size < kCounters)
        return text("it needs work-groups of ", kCounters, "; the device has ", context.info().work_group_size);
    return refuses_onesweep(task, r);
}

// Measured on an H200, Gkey/s, beside onesweep: uint32, n = 2^23: 31.8, 36.2; 2^24: 46.5, 40.6; with values of 4 bytes 23.5,
// 26.3; 31.9, 29.6. uint64, n = 2^21: 10.0, 9.9; 2^22: 16.9, 12.0. With
// values of 8 bytes uint32 is not measured.
bool fits(cl::Task &, const Request &r) {
    if (dtype(r.dtype).size == 8) return r.n >= size_t{1} << 22;
    return r.n >= size_t{1} << 24 && travelling_bytes(r) <= 4;
}

struct Plan {
    cl::Operand state;
    OnesweepPlan onesweep;
    Arrays arrays;

    Plan(const cl::Context &context, Space &space, const Request &r)
        : state(space.take(by_pieces(r) ? kPieces : kState, sizeof(uint32_t))), onesweep(context, space, r),
          arrays(space, r) {}
};

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    Space space(task, r.work);
    const Plan plan(context, space, r);
    const Arrays &arrays = plan.arrays;
    const Shape split = split_shape(r), finish = finish_shape(r);
    const size_t units = context.info().compute_units;
    const size_t tile = stable(r) ? plan.onesweep.group * plan.onesweep.keys : split.most();
    const uint64_t n = r.n, flip = flipped_bits(r);
    const auto n32 = static_cast<uint32_t>(n);
    const uint32_t zero = 0;
    const auto shaped = [&](const char *file, const Shape &shape, const char *more = "") {
        return task.context().program(file, text(key_options(r), more, context.has_nvidia_ptx() ? " -DGP_SHUFFLE" : "",
                                                 " -DGP_GROUP=", shape.group, " -DGP_KEYS=", shape.keys,
                                                 " -DGP_GROUPS_PER_UNIT=", shape.groups_per_unit));
    };

    begin_onesweep(task, plan.onesweep);
    task.fill(plan.state.memory, plan.state.offset * sizeof zero, (by_pieces(r) ? kPieces : kState) * sizeof zero,
              &zero, sizeof zero);
    const auto count = [&](const char *more, size_t most) {
        const auto counting = task.context().program("sort/split_count.cl",
                                                     text(key_options(r), more, " -DGP_KEYS=", 64 / dtype(r.dtype).size,
                                                          " -DGP_TILE=", tile, " -DGP_MOST=", most));
        task.launch(*counting, "sort_split_count", cl::Range::groups(units, kCounters), n, flip, r.keys, plan.state);
        task.launch(*counting, "sort_split_plan", cl::Range::groups(kDigits, kDigits), n32, plan.state);
    };
    const auto split_keys = [&](const char *more) {
        const auto program = shaped("sort/split.cl", split, more);
        const auto tiles = cl::Range::groups(std::min(ceil_div(r.n, tile), units * split.groups_per_unit), split.group);
        task.launch(*program, "sort_split", tiles, n32, uint32_t{0}, flip, r.keys, arrays.keys_odd, plan.state);
        task.launch(*program, "sort_split", tiles, n32, uint32_t{1}, flip, arrays.keys_odd, r.keys, plan.state);
    };
    const auto bins = [&](const Shape &shape) { return cl::Range::groups(units * shape.groups_per_unit, shape.group); };
    const cl::Operand &done = plan.onesweep.done;
    count(by_pieces(r) ? " -DGP_BEFORE_PIECES" : "", finish.most());
    if (stable(r)) {
        split_onesweep(task, r, plan.onesweep, arrays, plan.state);
    } else {
        split_keys("");
    }
    const auto finishing = shaped("sort/split_finish.cl", finish);
    if (stable(r))
        task.launch(*finishing, "sort_split_finish", bins(finish), n32, flip, plan.state, done, arrays.keys_even,
                    arrays.values_even);
    else
        task.launch(*finishing, "sort_split_finish", bins(finish), n32, flip, plan.state, done, r.keys);
    if (!by_pieces(r)) return end_onesweep(task, r, plan.onesweep, arrays); // all, where a bin has too many keys
    constexpr const char *kByPieces = " -DGP_PIECES";
    const Shape piece = piece_shape(r);
    const auto pieces = task.context().program(
        "sort/split_pieces.cl",
        text(key_options(r), kByPieces, context.has_nvidia_ptx() ? " -DGP_SHUFFLE" : "", " -DGP_MOST=", piece.most()));
    task.launch(*pieces, "sort_split_samples", cl::Range::groups(kSamples / 64, kCounters), n32, flip, r.keys,
                plan.state);
    count(kByPieces, piece.most());
    split_keys(kByPieces);
    const auto by_piece = shaped("sort/split_finish.cl", piece, kByPieces);
    task.launch(*by_piece, "sort_split_finish", bins(piece), n32, flip, plan.state, done, r.keys);
    const auto leftovers = cl::Range::groups(units, kCounters);
    task.launch(*pieces, "sort_split_leftovers", leftovers, n32, uint32_t{0}, plan.state, r.keys, arrays.keys_odd);
    end_onesweep(task, r, plan.onesweep, arrays, true); // does what is left: leftovers, or all
    task.launch(*pieces, "sort_split_leftovers", leftovers, n32, uint32_t{1}, plan.state, r.keys, arrays.keys_odd);
}

size_t work_bytes(cl::Task &task, const Request &r) {
    Space space;
    const Plan plan(task.context(), space, r);
    return space.bytes();
}

} // namespace

const Algorithm kSplit = {{"split",
                           "radix sort, keys are split by two digits into bins that are finished in local memory; for "
                           "NVIDIA",
                           "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017",
                           false, Suits::kNvidia},
                          refuses,
                          run,
                          fits,
                          work_bytes};

} // namespace gpcl::sort
