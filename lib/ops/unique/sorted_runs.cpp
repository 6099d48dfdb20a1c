// Distinct elements as the runs of the sorted ones: a sort, which tells the order where positions
// are wanted, and the run lengths of what it gives. Host side of kernels/unique/.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/sort/sort.h"
#include "ops/unique/unique.h"

#include <bit>
#include <limits>

namespace gpcl::unique {
namespace {

constexpr size_t kLeastGroup = 64;

// Not measured yet: as gather's.
const Parameter kGroup = {GP_UNIQUE,
                          "sorted-runs",
                          "group",
                          "work-items of a work-group that writes positions, on GPUs",
                          {64, 128, 256, 512, 1024},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = std::bit_floor(context.info().work_group_size);
                              return std::clamp(most, kLeastGroup, size_t{256});
                          }};
const Parameter kItems = {GP_UNIQUE,        "sorted-runs",
                          "items",          "positions of a work-item on GPUs, under way together",
                          {1, 2, 4, 8, 16}, always<8>};
const Parameter kChunk = {GP_UNIQUE,
                          "sorted-runs",
                          "chunk",
                          "positions of a work-item on CPUs",
                          {1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15},
                          always<size_t{1} << 14>};
// An inverse is written by positions, which are random. Where it is more than caches hold, what is
// written is brought to one of 256 parts of the inverse before. Measured on an H200, microseconds
// of unique with the inverse, uint32 of any value; of 100 values; by position and by parts: n =
// 2^23 585, 720; 327, 410. 2^24 1451, 1331; 1002, 759. 2^26 5946, 4694; 4281, 2689.
const Parameter kParts = {GP_UNIQUE,
                          "sorted-runs",
                          "parts",
                          "elements from which on an inverse is written by parts, on GPUs",
                          {1 << 14, 1 << 20, 1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 30},
                          always<1 << 24>};
constexpr std::array kParameters = {&kGroup, &kItems, &kChunk, &kParts};

// How the elements of an array are divided.
struct Shape {
    size_t group, items, chunk;
    cl::Range range(size_t count) const { return cl::Range::groups(ceil_div(count, chunk), group); }
};

Shape shape(const cl::Context &context, gp_dtype type) {
    const size_t group = tuned(context, type, kGroup), items = tuned(context, type, kItems);
    if (context.is_cpu() || group > context.info().work_group_size) return {1, 1, tuned(context, type, kChunk)};
    return {group, items, group * items};
}

gp_dtype place_type(const runs::Request &r) {
    return r.n <= std::numeric_limits<uint32_t>::max() ? GP_UINT32 : GP_UINT64;
}

// The launches of positions.cl.
class Positions {
  public:
    Positions(cl::Task &task, const runs::Request &r)
        : task_(task), r_(r), shape_(shape(task.context(), r.key)),
          program_(task.program({"unique/positions.cl", text("-DGP_GROUP=", shape_.group, " -DGP_ITEMS=", shape_.items,
                                                             " -DGP_PLACE=", dtype(place_type(r)).opencl,
                                                             " -DGP_INDEX=", dtype(r.dtype).opencl)})) {}

    // `order` is NULL where the input is sorted.
    void firsts(const cl::Operand &begins, const cl::Operand *order) {
        task_.launch(*program_, "unique_firsts", shape_.range(r_.capacity), begins,
                     order != nullptr ? *order : r_.count, uint32_t{order == nullptr}, r_.firsts, r_.count,
                     uint64_t{r_.capacity}, uint64_t{shape_.chunk});
    }
    // Both, with first positions where the request has them; they lie apart from `begins`.
    void inverse(const cl::Operand &begins, const cl::Operand *order, const cl::Operand &inverse) {
        const auto &context = task_.context();
        if (order == nullptr || context.is_cpu() || r_.n < tuned(context, r_.key, kParts) ||
            place_type(r_) != GP_UINT32)
            return runs_of(begins, order, true, inverse);
        const size_t size = dtype(r_.dtype).size;
        sort::Request by_parts = sort::whole_array(GP_UINT32, r_.n);
        by_parts.end_bit = static_cast<unsigned>(std::bit_width(r_.n - 1));
        by_parts.begin_bit = by_parts.end_bit - std::min(by_parts.end_bit, kPartBits);
        by_parts.counted = {r_.has_bound, r_.bound};
        by_parts.keys = *order;
        by_parts.value_size = by_parts.value_alignment = size;
        by_parts.values = task_.work_space(r_.n * size);
        by_parts.sorted = task_.work_space(r_.n * sizeof(uint32_t));
        by_parts.sorted_values = task_.work_space(r_.n * size);
        runs_of(begins, order, false, by_parts.values);
        sort::run_apart(task_, by_parts);
        task_.launch(*program_, "unique_scatter", shape_.range(r_.n), by_parts.sorted, by_parts.sorted_values, inverse,
                     r_.bound, uint32_t{r_.has_bound}, uint64_t{r_.n}, uint64_t{shape_.chunk});
    }

  private:
    static constexpr unsigned kPartBits = 8;

    // The run of each element: by its position, or as they are sorted.
    void runs_of(const cl::Operand &begins, const cl::Operand *order, bool by_position, const cl::Operand &runs) {
        task_.launch(*program_, "unique_inverse", shape_.range(r_.n), begins, order != nullptr ? *order : r_.count,
                     uint32_t{order == nullptr}, uint32_t{by_position}, runs, r_.firsts, uint32_t{r_.has_firsts},
                     uint64_t{r_.capacity}, r_.count, r_.bound, uint32_t{r_.has_bound}, uint64_t{r_.n},
                     uint64_t{shape_.chunk});
    }

    cl::Task &task_;
    const runs::Request &r_;
    const Shape shape_;
    const std::shared_ptr<cl::Program> program_;
};

// The sorted elements; `order` becomes where they were, if it is there.
cl::Operand sorted(cl::Task &task, const runs::Request &r, const cl::Operand *order) {
    sort::Request sort = sort::whole_array(r.key, r.n);
    sort.keys = r.keys;
    sort.sorted = task.work_space(r.n * r.key_bytes());
    sort.counted = {r.has_bound, r.bound};
    if (order != nullptr) {
        sort.index = place_type(r);
        sort.indices = *order;
    }
    sort::run_apart(task, sort);
    return sort.sorted;
}

void find_runs(cl::Task &task, const runs::Request &r) {
    choose(runs::length_algorithms(), nullptr, task.context(), r).run(task, r);
}

void run_sorted(cl::Task &task, const Request &request) {
    runs::Request r = request.runs;
    if (r.n == 0) return find_runs(task, r);
    const bool has_order = !request.sorted && (r.has_firsts || request.has_inverse);
    std::optional<Positions> positions;
    if (has_order || request.has_inverse) positions.emplace(task, request.runs);
    cl::Operand places;
    const cl::Operand *order = nullptr;
    if (has_order) {
        places = task.work_space(r.n * dtype(place_type(r)).size);
        order = &places;
    }
    if (!request.sorted) r.keys = sorted(task, r, order);

    // An inverse takes where all runs begin, though there may be less room for what is told of
    // them.
    cl::Operand begins = r.firsts;
    if (request.has_inverse) {
        begins = task.work_space(r.n * r.result_bytes());
        if (r.capacity < r.n) {
            runs::Request all = r;
            all.has_keys = all.has_results = false;
            all.has_firsts = true;
            all.out_keys = all.results = r.count;
            all.capacity = r.n;
            all.firsts = begins;
            find_runs(task, all);
            r.has_firsts = false;
        } else {
            r.has_firsts = true;
        }
        r.firsts = r.has_firsts ? begins : r.count;
    }
    find_runs(task, r);
    if (request.has_inverse)
        positions->inverse(begins, order, request.inverse);
    else if (has_order)
        positions->firsts(begins, order);
}

// The same of the ranks of elements that are not sorted themselves; and the elements that come
// first of each.
void run_by_ranks(cl::Task &task, const Request &request) {
    const runs::Request &r = request.runs;
    const Shape how = shape(task.context(), r.key);
    const auto program = task.program({"unique/ranks.cl", text(key_order_options(r.key), " -DGP_GROUP=", how.group,
                                                               " -DGP_INDEX=", dtype(r.dtype).opencl)});
    Request of_ranks = request;
    runs::Request &ranks = of_ranks.runs;
    ranks.key = GP_UINT16;
    ranks.keys = task.work_space(r.n * r.key_bytes());
    ranks.has_keys = false;
    ranks.out_keys = r.count;
    if (r.has_keys && !r.has_firsts) {
        ranks.has_firsts = true;
        ranks.firsts = task.work_space(r.capacity * r.result_bytes());
    }
    task.launch(*program, "unique_ranks", how.range(r.n), r.keys, ranks.keys, uint64_t{r.n}, uint64_t{how.chunk});
    run_sorted(task, of_ranks);
    if (r.has_keys)
        task.launch(*program, "unique_values", how.range(r.capacity), r.keys, ranks.firsts, r.out_keys, r.count,
                    uint64_t{r.capacity}, uint64_t{how.chunk});
}

void run(cl::Task &task, const Request &request) {
    const bool by_ranks = request.runs.key == GP_FLOAT16 && !request.sorted && request.runs.n > 0;
    by_ranks ? run_by_ranks(task, request) : run_sorted(task, request);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kSortedRuns = {{"sorted-runs",
                                "a sort, by the algorithm that gp_sort takes, then the runs of its result",
                                "textbook: a sort, and neighbours that differ", false},
                               refuses,
                               run,
                               nullptr,
                               kParameters};

} // namespace gpcl::unique
