// Sample sort by one launch or two, for up to some hundred thousand keys, or for segments of that
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
// Two, as it was not measured on a GPU whether one is faster.
const Parameter kLaunches = {
    GP_SORT,    "sample-bins",
    "launches", "launches that it takes, where work-groups go on while one waits for others; else 2",
    {1, 2},     always<2>};
constexpr std::array kParameters = {&kMost, &kLaunches};

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

bool can_be_at_once(const cl::Context &context) { return context.features().all(kForwardProgress); }
bool is_at_once(const cl::Context &context, const Request &r) {
    return can_be_at_once(context) && tuned(context, r.dtype, kLaunches) == 1;
}

// Of one launch, whose work-groups take what is to be done in turns.
size_t most_groups(const cl::Context &context) {
    constexpr size_t kGroupsPerUnit = 2;
    return kGroupsPerUnit * context.info().compute_units;
}

// In one launch, if there is space for its phases. `more` comes behind the arrays: what tells of
// listed segments, or the count.
template <class... More> void launch_all(cl::Task &task, const Request &r, const BinsShape &shape, size_t count,
                                         const SampleSpace &space, const std::string &options, const More &...more) {
    const auto &context = task.context();
    const bool at_once = space.phases.memory != nullptr;
    const auto program =
        task.program({"sort/sample_bins.cl",
                      text(bins_options(context, r, shape), " -DGP_MOST_PARTS=", kMostParts,
                           at_once ? text(" -DGP_SPIN_LIMIT=", context.features().spin_limit()) : "", options)});
    const auto launch = [&](const auto &...arrays) {
        const auto one = [&](const char *kernel, size_t groups, const auto &...last) {
            task.launch(*program, kernel, cl::Range::groups(groups, shape.group), static_cast<uint32_t>(r.n),
                        r.begin_bit, r.end_bit - r.begin_bit, flipped_bits(r), r.keys, arrays..., space.splitters,
                        more..., last...);
        };
        if (at_once)
            return one("sort_sample_phases", std::min(std::max(count, r.segments), most_groups(context)),
                       static_cast<uint32_t>(count), space.phases);
        one("sort_samples", count);
        one("sort_sample_bins", count);
    };
    if (const size_t word = word_bytes(r); word != 0)
        launch(space.keys, r.values, space.values, static_cast<uint32_t>(r.value_size / word));
    else if (r.index != 0 && r.is_apart())
        launch(r.sorted, r.indices);
    else if (r.index != 0)
        launch(r.indices);
    else
        launch(r.is_apart() ? r.sorted : space.keys);
}

void run(cl::Task &task, const Request &r, bool at_once, const std::string &options) {
    const BinsShape shape = shape_for(task.context(), r, r.n);
    const size_t count = parts(shape, r.n);
    SampleSpace taken = space(task, r, count);
    if (at_once) taken.phases = zeros_left(task, kPhaseWords);
    launch_all(task, r, shape, count, taken, options + (r.is_apart() ? " -DGP_OTHER_MEMORY" : ""),
               r.counted.argument());
}

void run(cl::Task &task, const Request &r) { run(task, r, is_at_once(task.context(), r), ""); }
void run_fallback(cl::Task &task, const Request &r) { run(task, r, true, " -DGP_FALLBACK_ONLY"); }

} // namespace

size_t most_of_listed_samples(const cl::Context &context, const Request &r) {
    const BinsShape shape = shape_for(context, r, r.n);
    const bool has_room = !refuses_shape(context, shape.group, local_bytes(context, r, shape));
    return has_room ? most_keys(shape) : 0;
}

ListedSamples::ListedSamples(cl::Task &task, const Request &r, const Lists &lists, const Listed &listed)
    : request_(r), lists_(lists), listed_(listed), shape_(shape_for(task.context(), r, r.n)),
      // Each segment may have a part that is not full.
      count_(ceil_div(2 * r.n, shape_.most()) + (listed.end - listed.first)), space_(space(task, r, count_ + 1)) {
    if (is_at_once(task.context(), r)) space_.phases = lists.phases();
}

bool takes_segments_at_once(const cl::Context &context, const Request &r) {
    return can_be_at_once(context) && r.n <= most_of_listed_samples(context, r);
}

void sort_segments_at_once(cl::Task &task, const Request &r) {
    const BinsShape shape = shape_for(task.context(), r, r.n);
    const size_t longer = std::min(r.segments, r.n / (shape.most() + 1)); // than a work-group has room for
    const size_t count = longer == 0 ? 0 : ceil_div(2 * r.n, shape.most()) + longer;
    const Lists lists = {zeros_left(task, Lists::kCounts), task.work_space(2 * longer + 2, sizeof(uint32_t))};
    SampleSpace taken = space(task, r, count + 1);
    taken.phases = lists.phases();
    const auto launch = [&](const auto &...ends) {
        launch_all(task, r, shape, count, taken, segment_options(r), lists.counts, lists.entries, uint32_t{1},
                   uint32_t{0}, static_cast<uint32_t>(longer), uint64_t{r.segments}, r.offsets, ends...);
    };
    r.has_ends ? launch(r.ends) : launch();
}

void ListedSamples::run(cl::Task &task) const {
    launch_all(task, request_, shape_, count_, space_, " -DGP_LIST", lists_.counts, lists_.entries, listed_.kind,
               listed_.first, listed_.end);
}

const Algorithm kSampleBins = {{"sample-bins", "sample sort of up to some hundred thousand keys by one launch or two",
                                "Leischner, Osipov and Sanders, \"GPU Sample Sort\", 2010", false, Suits::kGpu, 0,
                                kShuffle},
                               refuses,
                               run,
                               fits,
                               kParameters,
                               kTakesCounted};

const Algorithm kSampleBinsFallback = {
    {"sample-bins-fallback", "as sample-bins, but one work-group does all that others did, once more; a test of that",
     "Leischner, Osipov and Sanders, \"GPU Sample Sort\", 2010", false, Suits::kByName, kForwardProgress | kShuffle},
    refuses,
    run_fallback,
    nullptr,
    {},
    kTakesCounted};

} // namespace gpcl::sort
