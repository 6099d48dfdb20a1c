// Sample sort by two launches, for up to some hundred thousand keys, or for listed segments of so
// many. Host side of kernels/sort/sample_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kItems = 4, kMoreItems = 8, kSamplesOfPart = 32;
constexpr size_t kMostParts = 128;

// Microseconds of a call in a chain on an H200, by sample-bins and by onesweep: uint32, 10^5 26.7,
// 37.6; 1.5 * 10^5 35.6, 39.9; 2 * 10^5 43.4, 42.1; float32 33.0, 38.7; 42.7, 40.5; 50.8, 42.5;
// uint64 34.3, 95.0; 42.0, 96.0; 49.5, 98.3; 2^19 100, 111; float64 44.6, 99.6; 57.3, 100; 69.4,
// 102; 2^19 152, 117; uint8 with values of 4 bytes 45.4, 18.4; uint16 with 8 31.8, 30.1.
const Parameter kMost = {GP_SORT,
                         "sample-bins",
                         "most",
                         "keys of uint32 up to which it is chosen; of others as many as take as long",
                         {1 << 14, 1 << 15, 1 << 16, 1 << 17, 3 << 16, 1 << 18, 1 << 19},
                         always<3 << 16>};
constexpr std::array kParameters = {&kMost};

size_t local_bytes(const cl::Context &context, const Request &r, const BinsShape &shape) {
    constexpr size_t kShare = 32;                             // which listed segment, and which of its parts
    const size_t counts = 2 * shape.group * sizeof(uint32_t); // ranks, and the sums that find a share
    return kShare + std::max(bins_bytes(context, r, shape, is_stable(r) ? sizeof(uint32_t) : 0),
                             kMostParts * kSamplesOfPart * dtype(r.dtype).size + counts);
}

// Work-groups as large as local memory has room for; smaller ones where it stands in for what the
// device lacks.
BinsShape shape_of(const cl::Context &context, const Request &r, size_t items) {
    const size_t most = context.features().shuffles_in_local_memory() ? 256 : 1024;
    BinsShape shape{std::clamp(std::bit_floor(context.info().work_group_size), kLeastBinsGroup, most), items};
    while (shape.group > kLeastBinsGroup && local_bytes(context, r, shape) > context.features().local_bytes)
        shape.group /= 2;
    return shape;
}

// Parts have at most half as many keys as there is room for, on average.
size_t most_keys(const BinsShape &shape) { return kMostParts * shape.most() / 2; }

// More keys of a work-item where there would be too many parts.
BinsShape shape_for(const cl::Context &context, const Request &r, size_t n) {
    const BinsShape few = shape_of(context, r, kItems), more = shape_of(context, r, kMoreItems);
    return n <= most_keys(few) || more.most() <= few.most() ? few : more;
}

size_t parts(const BinsShape &shape, size_t n) {
    const size_t least = ceil_div(2 * n, shape.most());
    return shape.items == kItems ? std::bit_ceil(least) : least;
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const BinsShape needed = shape_for(context, r, r.n);
    if (const Refusal why = refuses_shape(context, needed.group, local_bytes(context, r, needed))) return why;
    const size_t most = most_keys(needed);
    return r.n <= most ? Refusal{} : Refusal{"it sorts up to ", most, " of these keys, and n is ", r.n};
}

// With how many keys it takes as long as passes over all digits, by the times above. A pass takes
// the same time for any such n. What grows with n is each work-group's look through all keys.
double even_keys(const Request &r) {
    const size_t key = dtype(r.dtype).size;
    if (key == 1) return 0; // bins are crowded
    const double passes = digits(r).passes,
                 bytes = static_cast<double>(std::min(key + travelling_bytes(r), size_t{16}));
    const double launches = key == 8 ? 18 : key == 2 || is_float(r.dtype) ? 15 : 12;
    const double look = key == 8 ? (is_float(r.dtype) ? 0.256e-3 : 0.16e-3) : is_float(r.dtype) ? 0.175e-3 : 0.145e-3;
    return std::max(0.0, (8 + passes * (7 + bytes / 2) - launches) / look);
}

bool fits(const cl::Context &context, const Request &r) {
    Request plain;
    plain.dtype = GP_UINT32;
    plain.end_bit = 32;
    const double most = static_cast<double>(tuned(context, r.dtype, kMost));
    return static_cast<double>(r.n) <= most * even_keys(r) / even_keys(plain);
}

// With room for so many splitters.
SampleSpace space(cl::Task &task, const Request &r, size_t splitters) {
    SampleSpace result;
    result.splitters = task.work_space(splitters, sizeof(uint32_t));
    result.keys = r.index != 0 || r.is_apart() ? r.keys : task.work_space(r.n, dtype(r.dtype).size);
    if (word_bytes(r) != 0) result.values = task.work_space(r.n, r.value_size);
    return result;
}

// `more` comes last: what tells of listed segments, or the count.
template <class... More> void launch_both(cl::Task &task, const Request &r, const BinsShape &shape, size_t count,
                                          const SampleSpace &space, const char *options, const More &...more) {
    const cl::Operand &keys = space.keys, &values = space.values;
    const auto program = task.program({"sort/sample_bins.cl", text(bins_options(task.context(), r, shape),
                                                                   " -DGP_MOST_PARTS=", kMostParts, options)});
    const auto n = static_cast<uint32_t>(r.n);
    const auto samples = static_cast<uint32_t>(count > 1 ? count * kSamplesOfPart : 0);
    const uint32_t begin = r.begin_bit, width = r.end_bit - r.begin_bit;
    const uint64_t flip = flipped_bits(r);
    const auto range = cl::Range::groups(count, shape.group);
    const auto find_samples = [&](const auto &...copies) {
        task.launch(*program, "sort_samples", range, n, samples, begin, width, flip, r.keys, space.splitters, copies...,
                    more...);
    };
    const auto sort_parts = [&](const auto &...outputs) {
        task.launch(*program, "sort_sample_bins", range, n, begin, width, flip, space.keys, space.splitters, outputs...,
                    more...);
    };
    if (const size_t word = word_bytes(r); word != 0) {
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

void run(cl::Task &task, const Request &r) {
    const BinsShape shape = shape_for(task.context(), r, r.n);
    const size_t count = parts(shape, r.n);
    launch_both(task, r, shape, count, space(task, r, count), r.is_apart() ? " -DGP_OTHER_MEMORY" : "",
                r.counted.argument());
}

} // namespace

size_t most_of_listed_samples(const cl::Context &context, const Request &r) {
    const BinsShape shape = shape_for(context, r, r.n);
    const bool has_room = !refuses_shape(context, shape.group, local_bytes(context, r, shape));
    return has_room ? most_keys(shape) : 0;
}

ListedSamples::ListedSamples(cl::Task &task, const Request &r, const Lists &lists, const Listed &listed)
    : request_(r), lists_(lists), listed_(listed), shape_(shape_for(task.context(), r, r.n)),
      // Each segment may have a part that is not full.
      count_(ceil_div(2 * r.n, shape_.most()) + (listed.end - listed.first)), space_(space(task, r, count_ + 1)) {}

void ListedSamples::run(cl::Task &task) const {
    launch_both(task, request_, shape_, count_, space_, " -DGP_LIST", lists_.counts, lists_.entries, listed_.kind,
                listed_.first, listed_.end);
}

const Algorithm kSampleBins = {{"sample-bins", "sample sort of up to some hundred thousand keys by two launches",
                                "Leischner, Osipov and Sanders, \"GPU Sample Sort\", 2010", false, Suits::kGpu, 0,
                                kShuffle},
                               refuses,
                               run,
                               fits,
                               kParameters,
                               kTakesCounted};

} // namespace gpcl::sort
