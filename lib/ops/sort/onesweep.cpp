// Radix sort that reads and writes every key once a pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/sort/onesweep.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/onesweep.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

constexpr size_t kGroupsPerUnit = 2;

struct Shape {
    size_t group, keys;
};

// Measured on an H200, the last number being groups a unit: uint32, n = 2^27, Gkey/s: 512 x 28 x 2: 50.9; 512 x 24 x 2: 49.9;
// 256 x 48 x 2: 49.2; 384 x 40 x 2: 49.1; 384 x 24 x 3: 47.8; 512 x 24 x 3: 41.8 (spills); 512 x 16 x 2: 44.3. With values of
// 4 bytes: 384 x 24 x 2: 33.2; 512 x 16 x 2: 32.0. uint64: 512 x 16 x 2: 15.9; 384 x 24 x 2: 15.5; 384 x 16 x 3: 14.3. Fewer
// keys want smaller tiles, lest units stand idle: 2^20, without and with values, 512 x 16 x 2: 14.2, 12.3; 512 x 28 x 2: 12.6,
// 10.5; 2^22: 28.6, 22.3; 29.6, 20.0.
Shape shape(const cl::Context &context, const Request &r) {
    const auto &features = context.features();
    constexpr size_t kLargeBytes = 160 << 10; // of local memory: two groups a unit
    constexpr size_t kSmallBytes = 48 << 10;
    if (!features.all(kLookBackFeatures) || features.is_forced)
        return {256, features.local_bytes < kSmallBytes ? size_t{2} : size_t{4}};
    const size_t travelling = travelling_bytes(r), bytes = std::max(dtype(r.dtype).size, travelling);
    if (features.local_bytes < kLargeBytes)
        return {256, bytes > 8 ? size_t{8} : size_t{16}}; // within 48 KiB of local memory
    if (bytes > 8) return {512, 8};
    constexpr size_t kFew = size_t{3} << 20;
    if (bytes > 4 || r.n <= kFew) return {512, 16};
    return travelling > 0 ? Shape{384, 24} : Shape{512, 28};
}

auto program_of(cl::Task &task, const Request &r, const OnesweepPlan &plan, const char *more) {
    const auto &context = task.context();
    const auto &features = context.features();
    const size_t counts = dtype(r.dtype).size << 10; // bytes of a copy of all counts
    const size_t copies = std::min(std::bit_floor((features.local_bytes - 1) / counts), size_t{8});
    return task.context().program("sort/onesweep.cl",
                                  text(key_options(r), " -DGP_GROUP=", plan.group, " -DGP_KEYS=", plan.keys,
                                       " -DGP_COPIES=", copies, " -DGP_GROUPS_PER_UNIT=", kGroupsPerUnit,
                                       " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), more));
}

} // namespace

OnesweepPlan::OnesweepPlan(const cl::Context &context, Space &space, const Request &r) {
    const Shape chosen = shape(context, r);
    group = chosen.group;
    keys = chosen.keys;
    passes = digits(r).passes;
    const size_t tiles = ceil_div(r.n, group * keys);
    groups = std::min(tiles, kGroupsPerUnit * context.info().compute_units);
    ring = std::bit_ceil(2 * groups + 1);
    const size_t words = round_up(passes * kDigits + 1 + passes + 1, size_t{2});
    zeros = words * sizeof(uint32_t) + ring * kDigits * sizeof(uint64_t);
    totals = space.take(zeros / sizeof(uint64_t), sizeof(uint64_t));
    rows = totals + words / 2;
    totals.offset *= 2; // uint32
    done = totals + (passes * kDigits + 1 + passes);
}

std::string refuses_onesweep(cl::Task &task, const Request &request) {
    const auto &info = task.context().info();
    if (info.work_group_size < 256) return text("it needs work-groups of 256; the device has ", info.work_group_size);
    constexpr size_t kLocalBytes = 32 << 10; // what the largest keys take
    if (const size_t there = task.context().features().local_bytes; there < kLocalBytes)
        return text("it needs ", kLocalBytes, " bytes of local memory; the device has ", there);
    if (request.n >= uint64_t{1} << 31) return "it counts keys and tiles in 32 bits";
    return {};
}

void begin_onesweep(cl::Task &task, const OnesweepPlan &plan) {
    const uint32_t zero = 0;
    task.fill(plan.totals.memory, plan.totals.offset * sizeof zero, plan.zeros, &zero, sizeof zero);
}

void split_onesweep(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays,
                    const cl::Operand &state) {
    const auto program = program_of(task, r, plan, " -DGP_SPLIT");
    const uint64_t n = r.n;
    const auto range = cl::Range::groups(plan.groups, plan.group);
    for (uint32_t pass = 0; pass < 2; ++pass) {
        const auto shift = static_cast<uint32_t>((dtype(r.dtype).size - 1 - pass) * kDigitBits);
        launch_pass(task, *program, "sort_onesweep", range, r, arrays, {pass, shift, arrays.number ? 1u : 0u}, n, shift,
                    flipped_bits(r), plan.passes, plan.totals, plan.rows, static_cast<uint32_t>(plan.ring), state);
    }
}

void end_onesweep(cl::Task &task, const Request &r, const OnesweepPlan &plan, const Arrays &arrays, bool rest) {
    const auto program = program_of(task, r, plan, rest ? " -DGP_REST" : "");
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    const auto range = cl::Range::groups(plan.groups, plan.group);
    const Digits all = digits(r);
    const auto count = [&](const auto &...more) {
        task.launch(*program, "sort_count_digits", range, n, uint32_t{all.begin}, uint32_t{all.last}, plan.passes, flip,
                    r.keys, more..., plan.totals);
    };
    rest ? count(arrays.keys_odd) : count();
    run_passes(task, r, arrays, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_onesweep", range, r, arrays, pass, n, pass.shift, flip, plan.passes,
                    plan.totals, plan.rows, static_cast<uint32_t>(plan.ring));
    });
}

namespace {

void run(cl::Task &task, const Request &r) {
    Space space(task, r.work);
    const OnesweepPlan plan(task.context(), space, r);
    const Arrays arrays(space, r);
    begin_onesweep(task, plan);
    end_onesweep(task, r, plan, arrays);
}

size_t work_bytes(cl::Task &task, const Request &r) {
    Space space;
    const OnesweepPlan plan(task.context(), space, r);
    const Arrays arrays(space, r);
    return space.bytes();
}

} // namespace

const Algorithm kOnesweep = {{"onesweep", "radix sort in one pass a digit, tiles look up what lies before them",
                              "Adinets and Merrill, Onesweep, 2022", false, Suits::kGpu, 0, kLookBackFeatures},
                             refuses_onesweep,
                             run,
                             nullptr,
                             work_bytes};

} // namespace gpcl::sort
