// Radix sort that splits keys into buckets and finishes each in cache; for CPUs. Host side of
// kernels/sort/radix_buckets.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/radix_chunks.h"

namespace gpcl::sort {
namespace {

// 1024 have 2^16 keys each at n = 2^26, which with their copy fit a core's own cache.
const Parameter kBuckets = {
    GP_SORT, "radix-buckets", "buckets", "buckets that are finished in cache", {64, 128, 256, 512, 1024}, always<1024>};
const Parameter kFrom = {GP_SORT,
                         "radix-buckets",
                         "from",
                         "keys from which on it is chosen",
                         {1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 22},
                         always<size_t{1} << 18>};
constexpr std::array kParameters = {&kBuckets, &kFrom};

Refusal refuses(const cl::Context &, const Request &r) {
    if (r.value_size != 0 || r.index != 0) return "it sorts keys alone, without values or indices";
    if (dtype(r.dtype).size < 4) return "it sorts keys of 4 and 8 bytes";
    if (!whole_keys(r)) return "it orders by whole keys, not by a range of their bits";
    if (r.n >= uint64_t{1} << 31) return "it counts keys in 31 bits";
    return {};
}

// Fewer are sorted in cache as they are.
bool fits(const cl::Context &context, const Request &r) { return r.n >= tuned(context, r.dtype, kFrom); }

struct Plan {
    size_t buckets;
    ChunkPlan chunks;
    cl::Operand counts, state; // of 4 + buckets ulongs: see radix_buckets.cl
    Arrays arrays;

    Plan(cl::Task &task, const Request &r)
        : buckets(tuned(task.context(), r.dtype, kBuckets)), chunks(task, r),
          counts(task.work_space(chunks.chunks.count * buckets, sizeof(uint32_t))),
          state(task.work_space(4 + buckets, sizeof(uint64_t))), arrays(task, r) {}
};

void run(cl::Task &task, const Request &r) {
    const Plan plan(task, r);
    const auto program = task.program({"sort/radix_buckets.cl", text(key_options(r), " -DGP_BUCKETS=", plan.buckets)});
    const auto items = cl::Range::groups(plan.chunks.chunks.count, 1);
    const uint64_t n = r.n;
    const uint64_t chunk = plan.chunks.chunks.chunk;
    const uint64_t flip = flipped_bits(r);
    // A larger bucket would keep one core at work while the others have nothing left.
    const uint64_t most = n / (2 * std::max<size_t>(task.context().info().compute_units, 2));
    const cl::Operand &split = plan.arrays.keys_odd;
    task.clear(plan.state, 1, sizeof(uint64_t));
    task.launch(*program, "sort_buckets_sample", cl::Range::groups(1, 1), n, flip, r.keys, plan.state);
    task.launch(*program, "sort_buckets_count", items, n, chunk, flip, r.keys, plan.state, plan.counts);
    task.launch(*program, "sort_buckets_split", items, n, chunk, flip, most, r.keys, split, plan.state, plan.counts);
    task.launch(*program, "sort_buckets_finish", cl::Range::groups(plan.buckets, 1), flip, r.keys, split, plan.state);
    // Keys that would not be split evenly.
    run_chunk_passes(task, r, plan.chunks, plan.arrays, {plan.state.memory, 2 * plan.state.offset, nullptr});
}

} // namespace

const Algorithm kRadixBuckets = {
    {"radix-buckets", "radix sort, keys are split into buckets that are finished in cache; for CPUs",
     "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017", false, Suits::kCpu},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::sort
