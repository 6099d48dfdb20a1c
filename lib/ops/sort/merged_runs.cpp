// Merge sort of a few long runs that other algorithms sort, for more keys than those can count.
// Host side of kernels/sort/merge.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include <algorithm>
#include <array>

namespace gpcl::sort {
namespace {

const Parameter kTile = {
    GP_SORT, "merged-runs", "tile", "keys that a work-group merges at a time", {256, 512, 1024, 2048}, always<1024>};
constexpr std::array kParameters = {&kTile};

struct Shape {
    size_t group, items;
    size_t tile() const { return group * items; }
};

Shape shape(const cl::Context &context, gp_dtype type) {
    const size_t tile = tuned(context, type, kTile);
    const size_t group = context.is_cpu() || context.info().work_group_size < 128 ? 1 : 128;
    return {group, tile / group};
}

// How the keys are divided: into an even power of two of runs, so that the last of the merges ends
// where the keys were. The last runs may be shorter, or empty.
struct Runs {
    size_t length;
    unsigned merges = 2;

    Runs(const cl::Context &context, gp_dtype type, size_t n) {
        constexpr size_t kLongest = (size_t{1} << 31) - (size_t{1} << 20);
        while (ceil_div(n, size_t{1} << merges) > kLongest) merges += 2;
        length = round_up(ceil_div(n, size_t{1} << merges), shape(context, type).tile());
    }
};

// What is merged: keys with values or without. argsort's are a copy of the keys, with indices.
Request merged(const Request &r) {
    Request pairs = r;
    if (r.index == 0) return pairs;
    pairs.index = 0;
    pairs.values = r.indices;
    pairs.value_size = pairs.value_alignment = dtype(r.index).size;
    return pairs;
}

Request run_of(const Request &r, size_t begin, size_t length) {
    Request run = r;
    run.n = std::min(length, r.n - begin);
    run.keys = r.keys + begin;
    run.values = r.values + begin;
    return run;
}

// The memory in turn with which keys and values are merged. Before, the runs are sorted with the
// help of the larger of both, which is enough for a fourth of them.
struct Plan {
    Runs runs;
    cl::Operand copy; // of argsort's keys
    cl::Operand keys, values, work;
    size_t work_bytes; // of the run that takes the most

    Plan(cl::Task &task, const Request &r) : runs(task.context(), r.dtype, r.n) {
        const Request pairs = merged(r);
        work_bytes = 0;
        for (const size_t begin : {size_t{0}, (r.n - 1) / runs.length * runs.length}) { // the first run and the last
            const Request one = run_of(pairs, begin, runs.length);
            const Algorithm &sorter = choose_kernels(algorithms(), task.context(), one);
            work_bytes = std::max(work_bytes, gpcl::plan(task.context(), sorter, one).lendable_bytes);
        }
        const size_t key_size = dtype(r.dtype).size, value_size = pairs.value_size;
        const bool in_values = value_size > key_size;
        const auto take = [&](size_t size, bool works) {
            return task.work_space(works ? std::max(r.n, ceil_div(work_bytes, size)) : r.n, size);
        };
        if (r.index != 0) copy = take(key_size, false);
        keys = take(key_size, !in_values);
        if (value_size != 0) values = take(value_size, in_values);
        work = in_values ? cl::Operand{values.memory, values.offset * value_size, nullptr}
                         : cl::Operand{keys.memory, keys.offset * key_size, nullptr};
    }
};

void run(cl::Task &task, const Request &r) {
    const Plan plan(task, r);
    const auto [group, items] = shape(task.context(), r.dtype);
    Request pairs = merged(r);
    const size_t word = std::min(pairs.value_alignment, size_t{8});
    const auto program =
        task.program({"sort/merge.cl", text(key_options_alone(r), " -DGP_GROUP=", group, " -DGP_ITEMS=", items,
                                            " -DGP_WORD_BYTES=", pairs.value_size != 0 ? word : 0)});
    const size_t n = r.n;
    const auto range = cl::Range::groups(ceil_div(n, group * items), group);
    if (r.index != 0) {
        task.copy(r.keys, plan.copy, n, dtype(r.dtype).size);
        task.launch(*program, "sort_number", range, uint64_t{n}, pairs.values);
        pairs.keys = plan.copy;
    }
    const cl::Task::Lent lent = task.lend(cl::Task::Lent{});
    for (size_t begin = 0; begin < n; begin += plan.runs.length) {
        const Request one = run_of(pairs, begin, plan.runs.length);
        task.lend(plan.work, plan.work_bytes);
        choose_kernels(algorithms(), task.context(), one).run(task, one);
    }
    task.lend(lent);

    const unsigned width = r.end_bit - r.begin_bit;
    const uint64_t mask = ~uint64_t{0} >> (64 - width), flip = flipped_bits(r);
    for (unsigned merge = 0; merge < plan.runs.merges; ++merge) {
        const uint64_t length = uint64_t{plan.runs.length} << merge;
        const bool back = merge % 2 != 0;
        const cl::Operand &from = back ? plan.keys : pairs.keys, &to = back ? pairs.keys : plan.keys;
        if (pairs.value_size == 0)
            task.launch(*program, "sort_merge", range, uint64_t{n}, length, flip, r.begin_bit, mask, from, to);
        else
            task.launch(*program, "sort_merge", range, uint64_t{n}, length, flip, r.begin_bit, mask, from, to,
                        static_cast<uint32_t>(pairs.value_size / word), back ? plan.values : pairs.values,
                        back ? pairs.values : plan.values);
    }
}

// The largest tile takes 20 KiB of local memory, which every device has.
Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kMergedRuns = {
    {"merged-runs", "merge sort of 4 or 16 runs, each sorted by another algorithm; for 2^31 keys and more",
     "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012", false,
     Suits::kByName},
    refuses,
    run,
    {},
    kParameters};

} // namespace gpcl::sort
