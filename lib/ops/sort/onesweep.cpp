// Radix sort that reads and writes every key once a pass, for GPUs that keep work-groups running
// side by side. Host side of kernels/sort/onesweep.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/onesweep.h"

#include "core/size.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kGroupsPerUnit = 2;
constexpr size_t kTableGroup = 256; // work-items of the one that finds where tiles of segments begin

struct Shape {
    size_t group, keys;
};

// Measured on an H200, the last number being groups a unit: uint32, n = 2^27, Gkey/s: 512 x 28 x 2:
// 50.9; 512 x 24 x 2: 49.9; 256 x 48 x 2: 49.2; 384 x 40 x 2: 49.1; 384 x 24 x 3: 47.8; 512 x 24 x
// 3: 41.8 (spills); 512 x 16 x 2: 44.3. With values of 4 bytes: 384 x 24 x 2: 33.2; 512 x 16 x 2:
// 32.0. uint64: 512 x 16 x 2: 15.9; 384 x 24 x 2: 15.5; 384 x 16 x 3: 14.3. Fewer keys want smaller
// tiles, lest units stand idle: 2^20, without and with values, 512 x 16 x 2: 14.2, 12.3; 512 x 28 x
// 2: 12.6, 10.5; 2^22: 28.6, 22.3; 29.6, 20.0. In the rows below an element is a key, or a value if
// that is larger.
constexpr size_t kLargeBytes = 160 << 10; // of local memory: two groups a unit
constexpr size_t kFew = size_t{3} << 20;
// Microseconds of a call in a chain, 512 x 16 and 512 x 8: 2^15: 56, 55; 2^16: 44, 37; 2^17: 47,
// 40; 2^20: 68, 69. From here on half the units have a tile of the larger ones.
constexpr size_t kFewer = size_t{1} << 19;
constexpr std::array<Row<Shape>, 7> kKeysAlone = {{
    {{.local_bytes = kLargeBytes, .most_bytes = 4, .most_n = kFewer}, {512, 8}},
    {{.local_bytes = kLargeBytes, .most_bytes = 4, .most_n = kFew}, {512, 16}},
    {{.local_bytes = kLargeBytes, .most_bytes = 4}, {512, 28}},
    {{.local_bytes = kLargeBytes, .most_bytes = 8}, {512, 16}},
    {{.local_bytes = kLargeBytes}, {512, 8}},
    {{.most_bytes = 8}, {256, 16}}, // within 48 KiB of local memory
    {{}, {256, 8}},
}};
constexpr std::array<Row<Shape>, 7> kWithValues = {{
    {{.local_bytes = kLargeBytes, .most_bytes = 4, .most_n = kFewer}, {512, 8}},
    {{.local_bytes = kLargeBytes, .most_bytes = 4, .most_n = kFew}, {512, 16}},
    {{.local_bytes = kLargeBytes, .most_bytes = 4}, {384, 24}},
    {{.local_bytes = kLargeBytes, .most_bytes = 8}, {512, 16}},
    {{.local_bytes = kLargeBytes}, {512, 8}},
    {{.most_bytes = 8}, {256, 16}},
    {{}, {256, 8}},
}};
constexpr std::array<Row<Shape>, 2> kPortable = {{{{.local_bytes = 48 << 10}, {256, 4}}, {{}, {256, 2}}}};

bool is_portable(const cl::Context &context) {
    return !context.features().all(kLookBackFeatures) || context.features().is_forced;
}

Shape shape_of_keys(const cl::Context &context, gp_dtype type) { // of many
    return is_portable(context) ? shape_for(kPortable, context)
                                : shape_for(kKeysAlone, context, dtype(type).size, SIZE_MAX);
}

const Parameter kGroup = {
    GP_SORT,          "onesweep",
    "group",          "work-items of a work-group that sorts many keys without values",
    {256, 512, 1024}, [](const cl::Context &context, gp_dtype type) { return shape_of_keys(context, type).group; }};
const Parameter kKeys = {GP_SORT,
                         "onesweep",
                         "keys",
                         "keys of each of these work-items in a tile",
                         {2, 4, 6, 8, 12, 16, 20, 24, 28, 32},
                         [](const cl::Context &context, gp_dtype type) { return shape_of_keys(context, type).keys; }};
// None, as it was not measured on a GPU whether one launch is faster.
const Parameter kAllPasses = {GP_SORT,
                              "onesweep",
                              "all-passes",
                              "one launch does all passes where there are fewer keys",
                              {1, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22},
                              always<1>};
constexpr std::array kParameters = {&kGroup, &kKeys, &kAllPasses};

Shape shape(const cl::Context &context, const Request &r) {
    const size_t key = dtype(r.dtype).size, travelling = travelling_bytes(r);
    if (travelling == 0 && (r.n > kFew || is_portable(context)))
        return {tuned(context, r.dtype, kGroup), tuned(context, r.dtype, kKeys)};
    if (is_portable(context)) return shape_for(kPortable, context);
    return shape_for(travelling == 0 ? kKeysAlone : kWithValues, context, std::max(key, travelling), r.n);
}

// The shape for rows: a row's last tile may be mostly empty, so smaller tiles than those of one
// array may be faster. `rate`: Gkey/s of one array in such tiles, as above, for keys alone and with
// values of 4 bytes; of 8 keys a work-item estimated.
Shape shape_of_rows(const cl::Context &context, const Request &r, size_t row) {
    constexpr size_t kSmallGroup = 512;
    struct Rated {
        size_t keys;
        double alone, with_values;
    };
    constexpr std::array<Rated, 2> kSmaller = {{{16, 44, 32}, {8, 36, 25}}};
    const Shape most = shape(context, r);
    const auto used = [&](size_t tile) { return static_cast<double>(row) / static_cast<double>(round_up(row, tile)); };
    if (is_portable(context) || most.group * most.keys < kSmallGroup * 16) return most;
    Shape best = most;
    double rate = used(most.group * most.keys) * (travelling_bytes(r) == 0 ? 50.9 : 33.2);
    for (const Rated &one : kSmaller) {
        const double here = used(kSmallGroup * one.keys) * (travelling_bytes(r) == 0 ? one.alone : one.with_values);
        if (kSmallGroup * one.keys >= most.group * most.keys || here <= rate) continue;
        best = {kSmallGroup, one.keys};
        rate = here;
    }
    return best;
}

// Local memory of a work-group: a tile, its counts by warp and what those of equal digits are found
// in, and a few words for each digit.
size_t local_bytes(const cl::Context &context, const Request &r, const Shape &shape) {
    const bool in_room = context.features().shuffles_in_local_memory();
    const size_t element = std::max(dtype(r.dtype).size, travelling_bytes(r));
    return shape.group * shape.keys * element + (in_room ? 2 : 1) * shape.group / 32 * kDigits * sizeof(uint32_t) +
           (in_room ? 3 : 2) * kDigits * sizeof(uint32_t) + 256;
}

auto program_of(cl::Task &task, const Request &r, const OnesweepPlan &plan, const char *more) {
    const auto &context = task.context();
    const auto &features = context.features();
    const size_t counts = dtype(r.dtype).size << 10; // bytes of a copy of all counts
    const size_t copies = std::min(std::bit_floor((features.local_bytes - 1) / counts), size_t{8});
    return task.program({"sort/onesweep.cl",
                         text(key_options(r), " -DGP_GROUP=", plan.group, " -DGP_KEYS=", plan.keys, " -DGP_COPIES=",
                              copies, " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), more),
                         {},
                         kGroupsPerUnit});
}

} // namespace

OnesweepPlan::OnesweepPlan(cl::Task &task, const Request &r, size_t row) {
    const auto &context = task.context();
    const Shape chosen = row != 0 ? shape_of_rows(context, r, row) : shape(context, r);
    group = chosen.group;
    keys = chosen.keys;
    passes = digits(r).passes;
    const size_t tiles = ceil_div(r.n, group * keys);
    groups = std::min(tiles, kGroupsPerUnit * context.info().compute_units);
    ring = std::bit_ceil(2 * groups + 1);
    const size_t words = round_up(passes * kDigits + 1 + passes + 1, size_t{2});
    zeros = words + 2 * ring * kDigits;
    totals = task.work_space(zeros / 2, sizeof(uint64_t));
    rows = totals + words / 2;
    totals.offset *= 2; // uint32
    done = totals + (passes * kDigits + 1 + passes);
}

Refusal refuses_onesweep(const cl::Context &context, const Request &request) {
    const auto &info = context.info();
    const Shape needed = shape(context, request);
    if (info.work_group_size < needed.group)
        return {"it needs work-groups of ", needed.group, "; the device has ", info.work_group_size};
    constexpr size_t kLocalBytes = 32 << 10; // what the largest keys take
    const size_t bytes = std::max(kLocalBytes, local_bytes(context, request, needed));
    if (const size_t there = context.features().local_bytes; there < bytes)
        return {"it needs ", bytes, " bytes of local memory; the device has ", there};
    if (request.n >= uint64_t{1} << 31) return "it counts keys and tiles in 32 bits";
    return {};
}

void begin_onesweep(cl::Task &task, const OnesweepPlan &plan) { task.clear(plan.totals, plan.zeros); }

void split_onesweep(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays,
                    const cl::Operand &state) {
    const auto program = program_of(task, r, plan, " -DGP_SPLIT");
    const uint64_t n = r.n;
    const auto range = cl::Range::groups(plan.groups, plan.group);
    for (uint32_t pass = 0; pass < 2; ++pass) {
        const auto shift = static_cast<uint32_t>((dtype(r.dtype).size - 1 - pass) * kDigitBits);
        launch_pass(task, *program, "sort_onesweep", range, r, arrays, {pass, shift, arrays.number ? Pass::kNumber : 0},
                    n, shift, flipped_bits(r), plan.passes, plan.totals, plan.rows, static_cast<uint32_t>(plan.ring),
                    state);
    }
}

namespace {

// Does an odd number of passes move all that is sorted? Then it is copied first, so that they end
// where it came from.
bool copies_first(const Request &r) {
    return digits(r).passes % 2 != 0 && r.index == 0 && !r.is_apart() && (r.value_size == 0 || values_travel(r));
}

// What passes read and write in turn where they begin with the copies.
Arrays turned(const Request &r, const Arrays &arrays) {
    Arrays result = arrays;
    result.keys = result.keys_even = arrays.keys_odd;
    result.keys_odd = r.keys;
    result.values_even = arrays.values_odd;
    result.values_odd = r.values;
    return result;
}

void run_on_copies(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays) {
    const auto program = program_of(task, r, plan, " -DGP_COPY_FIRST");
    const uint64_t n = r.n, flip = flipped_bits(r);
    const auto range = cl::Range::groups(plan.groups, plan.group);
    const Digits all = digits(r);
    const auto count = [&](const auto &...more) {
        task.launch(*program, "sort_count_digits", range, n, uint32_t{all.begin}, uint32_t{all.last}, plan.passes, flip,
                    r.keys, arrays.keys_odd, more..., plan.totals, r.counted.argument());
    };
    r.value_size != 0 ? count(r.values, arrays.values_odd) : count();
    const Arrays some = turned(r, arrays);
    for_each_pass(r, some, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_onesweep", range, r, some, pass, n, pass.shift, flip, plan.passes,
                    plan.totals, plan.rows, static_cast<uint32_t>(plan.ring));
    });
}

// All of it in one launch, but for what run_passes does behind the passes.
void run_all_passes(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays) {
    const bool copies = copies_first(r);
    const auto program = program_of(task, r, plan, copies ? " -DGP_ALL_PASSES -DGP_COPY_FIRST" : " -DGP_ALL_PASSES");
    const cl::Operand phases = zeros_left(task, kPhaseWords + plan.passes * kDigits + 1), totals = phases + kPhaseWords;
    const Digits all = digits(r);
    const auto range = cl::Range::groups(plan.groups, plan.group);
    const Arrays some = copies ? turned(r, arrays) : arrays;
    const auto launch = [&](const Pass &pass) {
        if (pass.number + 1 != plan.passes) return; // the last one has all flags
        launch_pass(task, *program, "sort_all_passes", range, r, some, pass, uint64_t{r.n}, uint32_t{all.begin},
                    uint32_t{all.last}, plan.passes, flipped_bits(r), static_cast<uint32_t>(plan.groups), totals,
                    plan.rows, static_cast<uint32_t>(plan.ring), phases);
    };
    copies ? for_each_pass(r, some, launch) : run_passes(task, r, some, launch);
}

// Keys that have one digit and nothing beside them: their counts tell all.
bool counts_tell(const Request &r) {
    return dtype(r.dtype).size == 1 && whole_keys(r) && r.index == 0 && r.value_size == 0;
}

void run_by_counts(cl::Task &task, const Request &r, const OnesweepPlan &plan) {
    const auto program = program_of(task, r, plan, "");
    const uint64_t n = r.n, flip = flipped_bits(r);
    const auto range = cl::Range::groups(plan.groups, plan.group);
    begin_onesweep(task, plan);
    task.launch(*program, "sort_count_digits", range, n, uint32_t{0}, uint32_t{0}, plan.passes, flip, r.keys,
                plan.totals, r.counted.argument());
    task.launch(*program, "sort_fill_keys", range, n, flip, plan.totals, r.is_apart() ? r.sorted : r.keys,
                r.counted.argument());
}

} // namespace

void end_onesweep(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays, bool rest) {
    if (copies_first(r)) return run_on_copies(task, r, plan, arrays);
    const auto program = program_of(task, r, plan, rest ? " -DGP_REST" : "");
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    const auto range = cl::Range::groups(plan.groups, plan.group);
    const Digits all = digits(r);
    const auto count = [&](const auto &...more) {
        task.launch(*program, "sort_count_digits", range, n, uint32_t{all.begin}, uint32_t{all.last}, plan.passes, flip,
                    r.keys, more..., plan.totals, r.counted.argument());
    };
    rest ? count(arrays.keys_odd) : count();
    run_passes(task, r, arrays, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_onesweep", range, r, arrays, pass, n, pass.shift, flip, plan.passes,
                    plan.totals, plan.rows, static_cast<uint32_t>(plan.ring));
    });
}

// ---- Segments

SegmentSweeps::SegmentSweeps(cl::Task &task, const Request &r, const Lists &lists, size_t first, size_t end,
                             size_t least)
    : request_(r), lists_(lists), list_(lists.entries + 2 * first), first_(first), count_(end - first),
      plan_(task, r, std::max(r.n / r.segments, 2 * least)), arrays_(task, r) {
    table_ = task.work_space(2 + count_, sizeof(uint32_t));
    row_totals_ = task.work_space(multiply(count_, plan_.passes * kDigits, "segments"), sizeof(uint32_t));
}

// Each segment may have a tile that is not full.
size_t SegmentSweeps::most_tiles() const { return ceil_div(request_.n, plan_.group * plan_.keys) + count_; }

std::array<SegmentSweeps::Zeros, 2> SegmentSweeps::zeros() const {
    return {{{plan_.totals, static_cast<uint32_t>(plan_.zeros)},
             {row_totals_, static_cast<uint32_t>(count_ * plan_.passes * kDigits)}}};
}

void SegmentSweeps::run(cl::Task &task) const {
    const auto &context = task.context();
    const Request &r = request_;
    const auto tile = static_cast<uint32_t>(plan_.group * plan_.keys);
    const auto table_program = task.program(
        {"sort/segment_table.cl", text(context.features().options(), " -DGP_GROUP=", size_t{kTableGroup})});
    task.launch(*table_program, "sort_segment_table", cl::Range::groups(1, kTableGroup), tile,
                static_cast<uint32_t>(most_tiles()), lists_.counts, lists_.entries, static_cast<uint32_t>(first_),
                static_cast<uint32_t>(first_ + count_), table_);
    const auto program = program_of(task, r, plan_, " -DGP_SEGMENTS");
    constexpr size_t kCounters = 4; // work-groups for each compute unit
    const Digits some = digits(r);
    const uint64_t n = r.n, flip = flipped_bits(r);
    task.launch(*program, "sort_count_segments",
                cl::Range::groups(std::min(most_tiles(), context.info().compute_units * kCounters), plan_.group),
                uint32_t{some.begin}, uint32_t{some.last}, plan_.passes, flip, r.keys, list_, table_, row_totals_,
                plan_.totals);
    const auto range = cl::Range::groups(plan_.groups, plan_.group);
    for_each_pass(r, arrays_, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_onesweep", range, r, arrays_, pass, n, pass.shift, flip, plan_.passes,
                    plan_.totals, plan_.rows, static_cast<uint32_t>(plan_.ring), uint32_t{r.index != 0}, row_totals_,
                    list_, table_);
    });
    finish(task);
}

void SegmentSweeps::copy(cl::Task &task, size_t size, size_t word, const cl::Operand &in, const cl::Operand &out,
                         const cl::Operand *order) const {
    const auto program =
        task.program({"sort/segment_copies.cl", text(" -DGP_INDEX=0 -DGP_WORDS=", word, " -DGP_GROUP=", plan_.group,
                                                     order != nullptr ? " -DGP_ORDER" : "")});
    const auto n = static_cast<uint32_t>(request_.n), tile = static_cast<uint32_t>(plan_.group * plan_.keys),
               words = static_cast<uint32_t>(size / word);
    const auto range = cl::Range::groups(2 * plan_.groups, plan_.group);
    if (order != nullptr)
        task.launch(*program, "sort_copy_segments", range, n, tile, list_, table_, *order, words, in, out);
    else
        task.launch(*program, "sort_copy_segments", range, n, tile, list_, table_, words, in, out);
}

// What run_passes does behind the passes, for what lies in the segments alone.
void SegmentSweeps::finish(cl::Task &task) const {
    const Request &r = request_;
    const Arrays &a = arrays_;
    const size_t key = dtype(r.dtype).size;
    if (a.values.memory != nullptr) task.copy(r.values, a.values, r.n, r.value_size);
    if (r.index == 0 && plan_.passes % 2 != 0) {
        copy(task, key, key, a.keys_odd, r.keys, nullptr);
        if (travelling_bytes(r) != 0 && !a.number)
            copy(task, r.value_size, std::min(r.value_size, size_t{8}), a.values_odd, r.values, nullptr);
    }
    if (r.index == GP_UINT64) {
        const auto program = task.program(
            {"sort/segment_copies.cl", text(" -DGP_INDEX=0 -DGP_WORDS=0 -DGP_WIDEN -DGP_GROUP=", plan_.group)});
        task.launch(*program, "sort_copy_segments", cl::Range::groups(2 * plan_.groups, plan_.group),
                    static_cast<uint32_t>(r.n), static_cast<uint32_t>(plan_.group * plan_.keys), list_, table_, a.order,
                    r.indices);
    }
    if (a.values.memory != nullptr) copy(task, r.value_size, word_bytes(r), a.values, r.values, &a.order);
}

namespace {

// ---- Rows

const Parameter kRowMost = {
    GP_SORT,
    "row-sweeps",
    "most",
    "keys of a row; longer rows are sorted one after the other",
    {1 << 18, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 25},
    [](const cl::Context &, gp_dtype type) { return dtype(type).size == 8 ? size_t{1} << 22 : size_t{1} << 24; }};
const Parameter kAtOnce = {GP_SORT,
                           "row-sweeps",
                           "together",
                           "keys of all rows that are sorted together",
                           {1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30},
                           always<1 << 30>};
constexpr std::array kRowParameters = {&kRowMost, &kAtOnce};

// All rows as one array.
Request all_of(const Request &r) {
    Request all = r;
    all.n = r.n * r.batch;
    all.batch = 1;
    return all;
}

// What is sorted together, of rows without gaps.
Request some_of(const Request &r, size_t first, size_t count) {
    Request some = r;
    some.batch = std::min(count, r.batch - first);
    some.keys = r.keys + first * r.n;
    some.values = r.values + first * r.n;
    some.indices = r.indices + first * r.n;
    return some;
}

size_t rows_at_once(const cl::Context &context, const Request &r) {
    return std::clamp(tuned(context, r.dtype, kAtOnce) / std::max(r.n, size_t{1}), size_t{1}, r.batch);
}

Refusal refuses_row_sweeps(const cl::Context &context, const Request &r) {
    constexpr size_t kMost = size_t{1} << 30;
    if (r.n > kMost) return {"it sorts rows of up to 2^30 keys, and n is ", r.n};
    Request most = r;
    most.batch = rows_at_once(context, r);
    return refuses_onesweep(context, all_of(most));
}

bool fits_row_sweeps(const cl::Context &context, const Request &r) { return r.n <= tuned(context, r.dtype, kRowMost); }

void sweep_rows(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const Request all = all_of(r);
    const OnesweepPlan plan(task, all, r.n);
    const size_t row_tiles = ceil_div(r.n, plan.group * plan.keys);
    const size_t total_words = multiply(r.batch, plan.passes * kDigits, "rows");
    const cl::Operand row_totals = task.work_space(total_words, sizeof(uint32_t));
    const Arrays arrays(task, all);
    begin_onesweep(task, plan);
    task.clear(row_totals, total_words);
    const auto program = program_of(task, all, plan, " -DGP_ROWS");
    const uint64_t n = r.n, flip = flipped_bits(r);
    const Digits some = digits(r);
    constexpr size_t kCounters = 8; // work-groups for each compute unit
    const size_t parts = std::min(row_tiles, ceil_div(context.info().compute_units * kCounters, r.batch));
    task.launch(*program, "sort_count_digits", cl::Range::groups(r.batch * parts, plan.group), n, uint32_t{some.begin},
                uint32_t{some.last}, plan.passes, flip, r.keys, static_cast<uint32_t>(parts), row_totals, plan.totals);
    const auto range = cl::Range::groups(std::min(plan.groups, row_tiles * r.batch), plan.group);
    run_passes(task, all, arrays, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_onesweep", range, all, arrays, pass, n, pass.shift, flip, plan.passes,
                    plan.totals, plan.rows, static_cast<uint32_t>(plan.ring), uint64_t{r.batch}, uint32_t{r.index != 0},
                    row_totals);
    });
}

void run_row_sweeps(cl::Task &task, const Request &r) {
    const size_t count = rows_at_once(task.context(), r);
    if (count == r.batch) return sweep_rows(task, r);
    const size_t bytes = plan(task.context(), kRowSweeps, some_of(r, 0, count)).lendable_bytes;
    const cl::Operand work = task.work_space(bytes, 1);
    const cl::Task::Lent lent = task.lend(cl::Task::Lent{});
    for (size_t first = 0; first < r.batch; first += count) {
        task.lend(work, bytes);
        sweep_rows(task, some_of(r, first, count));
    }
    task.lend(lent);
}

void run(cl::Task &task, const Request &r) {
    const OnesweepPlan plan(task, r);
    if (counts_tell(r)) return run_by_counts(task, r, plan);
    const Arrays arrays(task, r);
    if (r.n < tuned(task.context(), r.dtype, kAllPasses)) return run_all_passes(task, r, plan, arrays);
    begin_onesweep(task, plan);
    end_onesweep(task, r, plan, arrays);
}

// Where words are exchanged in local memory, equal digits are found between barriers. On an H200 in
// that form, Gkey/s, onesweep and radix-tiles: uint32 n = 2^16 1.03, 0.72; 2^20 4.5, 4.4 to 8.7;
// 2^24 5.8, 18.2; uint64 n = 2^16 0.56, 0.31; 2^20 3.3, 4.4; 2^24 4.7, 5.9.
bool fits_onesweep(const cl::Context &context, const Request &r) {
    constexpr size_t kMost = size_t{1} << 18;
    return !context.features().shuffles_in_local_memory() || r.n < kMost || kRadixTiles.refuses(context, r);
}

} // namespace

const Algorithm kOnesweep = {{"onesweep", "radix sort in one pass a digit, tiles look up what lies before them",
                              "Adinets and Merrill, Onesweep, 2022", false, Suits::kGpu, 0, kLookBackFeatures},
                             refuses_onesweep,
                             run,
                             fits_onesweep,
                             kParameters,
                             kTakesCounted};

const Algorithm kRowSweeps = {{"row-sweeps", "radix sort of all rows in one pass a digit, tiles look up in their row",
                               "Adinets and Merrill, Onesweep, 2022", false, Suits::kByName, 0, kLookBackFeatures},
                              refuses_row_sweeps,
                              run_row_sweeps,
                              fits_row_sweeps,
                              kRowParameters};

} // namespace gpcl::sort
