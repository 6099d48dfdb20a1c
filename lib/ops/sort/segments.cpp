// Sorts of segments on GPUs, by classes of their length. Host side of kernels/sort/segments.cl.
//
// One launch goes through the offsets: it sorts short segments and lists the others, by class. The
// short ones are sorted by counting, or each by a warp where there are few segments. Then there is
// a launch for each class that one work-group can sort, whose work-groups go through its list, and
// those for all longer ones: passes, or where n is small enough two launches of a sample sort. Each
// launch takes time even where it finds nothing to do. The host knows n and how many segments there
// are, so a class is left out where n is too small for any of its segments. Instead of all this,
// one launch can sort few segments of few keys.
// SPDX-License-Identifier: MIT
#include "ops/sort/onesweep.h"
#include "ops/sort/ranks.h"

#include "core/size.h"

#include <bit>
#include <optional>

namespace gpcl::sort {
namespace {

// Microseconds of 2^24 keys on an H200, in calls that follow each other. Lengths from 0 to 20, by
// groups of 128 and 256: uint32 143 and 146, with values of 4 bytes 172 and 187. Exponential
// lengths of 10 on average, by widths of 32 and 64: 193 and 186, with values 293 and 216.
const Parameter kGroup = {GP_SORT,        "segments",
                          "group",        "work-items of a work-group, which takes as many segments",
                          {64, 128, 256}, always<128>};
const Parameter kWidth = {GP_SORT,         "segments", "width", "most keys of a segment that is sorted by counting",
                          {8, 16, 32, 64}, always<64>};
const Parameter kRoom = {GP_SORT,     "segments",
                         "room",      "most keys for each work-item that local memory holds at once",
                         {8, 16, 32}, always<32>};

// A warp for each is for few segments: 130000 of up to 20 uint32 take 42 us by warps on an H200,
// and 16 by counting. Where words are exchanged in local memory, warps take longer.
const Parameter kByWarps = {GP_SORT,
                            "segments",
                            "warps",
                            "segments up to which a warp sorts each short one",
                            {1, 1 << 13, 1 << 15, 1 << 17, 1 << 19},
                            [](const cl::Context &context, gp_dtype) {
                                return context.features().shuffles_in_local_memory() ? size_t{1} : size_t{1} << 13;
                            }};
// Where no segment is long, launches are all that either way costs: samples take two, passes six
// and more. One segment of 2^19 uint32 takes 83 us by samples on an H200, and 49 by passes.
const Parameter kBySamples = {GP_SORT,
                              "segments",
                              "samples",
                              "keys of all segments up to which the longest are sorted by samples",
                              {1, 1 << 15, 1 << 17, 1 << 19},
                              always<1 << 19>};
// None, as it was not measured on a GPU whether one launch is faster.
const Parameter kAtOnce = {GP_SORT,
                           "segments",
                           "at-once",
                           "all segments are sorted in one launch where they are fewer",
                           {1, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11},
                           always<1>};
constexpr std::array kParameters = {&kGroup, &kWidth, &kRoom, &kByWarps, &kBySamples, &kAtOnce};
constexpr size_t kClasses = 6; // beside the shortest; the last one is that of the longest
constexpr WarpShape kWarps = {4};

struct Shape : RanksShape {
    size_t width;
};

// What scans and lists take beside the slots.
size_t local_bytes(const Request &r, const Shape &shape) {
    return shape.local_bytes(r) + shape.group * sizeof(uint32_t) + 64;
}

size_t mean_length(const Request &r) { return r.n / std::max(r.segments, size_t{1}); }

// Are segments so short on average that few are likely to be long?
bool are_short(const Request &r) { return mean_length(r) <= 16; }

Shape shape_of(const cl::Context &context, const Request &r) {
    const size_t group = tuned(context, r.dtype, kGroup);
    // Twice that where few segments are so long: they need no launch of their own then.
    const size_t width = tuned(context, r.dtype, kWidth) * (are_short(r) ? 2 : 1);
    // There is room for what segments have on average, a quarter more, and what last blocks lack.
    const size_t mean = mean_length(r), wanted = mean + mean / 4 + RanksShape::kBlock / 2;
    const size_t room = std::min(std::bit_ceil(std::max(wanted, size_t{8})), tuned(context, r.dtype, kRoom));
    Shape shape{{group, group * room}, width};
    while (shape.room > 2 * width && local_bytes(r, shape) > context.features().local_bytes) shape.room /= 2;
    return shape;
}

bool is_by_samples(const cl::Context &context, const Request &r) {
    return r.n <= std::min(most_of_listed_samples(context, r), tuned(context, r.dtype, kBySamples));
}
bool is_in_one_launch(const cl::Context &context, const Request &r) {
    return r.segments < tuned(context, r.dtype, kAtOnce) && is_by_samples(context, r) &&
           takes_segments_at_once(context, r);
}
bool is_by_warps(const cl::Context &context, const Request &r) {
    return r.segments <= tuned(context, r.dtype, kByWarps) && most_listed(context, r) > kWarps.most();
}

// The longest segment of each class, from the shortest ones on. A class that is left out is as long
// as the one before. Each class costs a launch, and a segment takes longer in a class of longer
// ones. So classes are left out where few segments can be longer than those of the first, where few
// are likely to be, or where launches take most of the time.
std::array<size_t, kClasses> mosts(const cl::Context &context, const Request &r, const Shape &shape) {
    constexpr size_t kGroupsPerUnit = 4;                  // that sort segments of up to 4096
    constexpr size_t kLaunchesDominate = size_t{1} << 22; // keys up to which they do
    const size_t most = most_listed(context, r), units = context.info().compute_units;
    const auto at_most = [&](size_t length) { return std::min(most, length); };
    const size_t shortest = is_by_warps(context, r) ? kWarps.most() : shape.width;
    if (is_by_samples(context, r)) {
        const size_t longer = std::min(r.segments, r.n / (shortest + 1)); // how many there can be
        const bool are_few = longer <= kGroupsPerUnit * units;
        if (longer <= units || (are_short(r) && are_few))
            return {shortest, shortest, shortest, shortest, shortest, shortest};
        const size_t middle = are_short(r) || are_few ? shortest : at_most(512);
        return {shortest, shortest, middle, middle, at_most(4096), at_most(4096)};
    }
    if (r.n <= kLaunchesDominate && are_short(r)) return {shortest, shortest, shortest, shortest, shortest, most};
    if (r.n <= kLaunchesDominate || are_short(r))
        return {shortest, shortest, at_most(512), at_most(2048), at_most(2048), most};
    const size_t next = std::max(shortest, at_most(kWarps.most()));
    return {shortest, next, at_most(512), at_most(2048), at_most(4096), most};
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (Refusal refusal = refuses_arrays(r)) return refusal;
    const Shape shape = shape_of(context, r);
    if (Refusal refusal = refuses_shape(context, shape.group, local_bytes(r, shape))) return refusal;
    if (most_listed(context, r) < std::max(shape.width, kWarps.most()))
        return "its work-groups have no room for longer segments";
    return refuses_onesweep(context, r);
}

// The segments of the first class, each by a warp.
void sort_by_warps(cl::Task &task, const Request &r, const Lists &lists, const Listed &listed) {
    const auto program = task.program({"sort/segment_warps.cl", kWarps.options(task.context(), r)});
    launch_in_place(task, *program, "sort_listed_warps", WarpShape::range(task.context(), listed.end - listed.first), r,
                    lists.counts, lists.entries, listed.kind, listed.first, listed.end);
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    if (is_in_one_launch(context, r)) return sort_segments_at_once(task, r);
    const Shape shape = shape_of(context, r);
    const auto most = mosts(context, r, shape);
    // No more segments than fit the array are longer than this.
    std::array<uint32_t, kClasses + 1> firsts{};
    for (size_t i = 0; i < kClasses; ++i) {
        const bool is_empty = i + 1 < kClasses && most[i] == most[i + 1];
        const size_t count = is_empty ? 0 : std::min(r.segments, r.n / (most[i] + 1));
        firsts[i + 1] = firsts[i] + static_cast<uint32_t>(count);
    }
    const auto listed = [&](size_t i) { return Listed{static_cast<uint32_t>(i + 1), firsts[i], firsts[i + 1]}; };
    const Listed longest = listed(kClasses - 1);
    const bool are_longest = longest.first < longest.end, by_samples = are_longest && is_by_samples(context, r);
    // What sorts the longest leaves zeros.
    const Lists lists = {are_longest ? zeros_left(task, Lists::kCounts)
                                     : task.work_space(Lists::kCounts, sizeof(uint32_t)),
                         task.work_space(2 * std::max(size_t{firsts[kClasses]}, size_t{1}), sizeof(uint32_t))};
    std::optional<ListedSamples> samples;
    std::optional<SegmentSweeps> sweeps;
    if (by_samples)
        samples.emplace(task, r, lists, longest);
    else if (are_longest)
        sweeps.emplace(task, r, lists, longest.first, longest.end, most[kClasses - 1]);

    if (!are_longest && firsts[kClasses] > 0) task.clear(lists.counts, Lists::kCounts);
    const auto zeros =
        sweeps ? sweeps->zeros() : std::array<SegmentSweeps::Zeros, 2>{{{lists.entries}, {lists.entries}}};
    const std::string classes = text(" -DGP_MOST_1=", most[1], " -DGP_MOST_2=", most[2], " -DGP_MOST_3=", most[3],
                                     " -DGP_MOST_4=", most[4], " -DGP_MOST_5=", most[5], segment_options(r));
    const auto sort_short = [&](const auto &program, const char *kernel, const cl::Range &range) {
        launch_on_segments(task, *program, kernel, range, r, lists.counts, lists.entries, firsts[0], firsts[1],
                           firsts[2], firsts[3], firsts[4], firsts[5], firsts[6], zeros[0].array, zeros[0].count,
                           zeros[1].array, zeros[1].count);
    };
    if (is_by_warps(context, r))
        sort_short(task.program({"sort/segment_warps.cl", text(kWarps.options(context, r), classes, " -DGP_ALL")}),
                   "sort_segment_warps", WarpShape::range(context, r.segments));
    else
        sort_short(task.program({"sort/segments.cl", text(shape.options(r), context.features().options(),
                                                          " -DGP_WIDTH=", shape.width, classes)}),
                   "sort_segments", cl::Range::groups(ceil_div(r.segments, shape.group), shape.group));
    if (const Listed one = listed(0); one.first < one.end) sort_by_warps(task, r, lists, one);
    for (size_t i = 1; i + 1 < kClasses; ++i)
        if (const Listed one = listed(i); one.first < one.end) sort_listed(task, r, most[i + 1], lists, one);
    if (samples) samples->run(task);
    if (sweeps) sweeps->run(task);
}

} // namespace

const Algorithm kSegments = {{"segments",
                              "counting and bins in local memory, samples and passes, as long as segments are",
                              "Knuth, \"The Art of Computer Programming\", volume 3, 5.2; Stehle and Jacobsen, \"A "
                              "Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017; Leischner, Osipov "
                              "and Sanders, \"GPU Sample Sort\", 2010; Adinets and Merrill, Onesweep, 2022",
                              false, Suits::kByName},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

} // namespace gpcl::sort
