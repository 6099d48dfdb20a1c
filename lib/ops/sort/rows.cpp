// Sorts of rows: the choice for them, one row after the other, and rows that are gathered first.
// Host side of kernels/sort/rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include "core/size.h"

#include <bit>

namespace gpcl::sort {
namespace {

using cl::Operand;

// Algorithms that take all rows of a batch.
constexpr std::array<const Algorithm *, 5> kForGpus = {&kRowWarps, &kRowNetworks, &kRowTiles, &kRowBins, &kRowSweeps};
constexpr std::array<const Algorithm *, 1> kForCpus = {&kRowItems};

bool takes_rows(const Algorithm &algorithm) {
    const auto is = [&](const Algorithm *one) { return algorithm.run == one->run; };
    return is(&kHost) || std::any_of(kForGpus.begin(), kForGpus.end(), is) ||
           std::any_of(kForCpus.begin(), kForCpus.end(), is);
}

bool takes_as_they_lie(const Algorithm &algorithm, const Request &r) {
    if (algorithm.run == kHost.run) return true;
    return algorithm.run == kRowSweeps.run ? r.is_dense() : r.step == 1;
}

Operand moved(const Operand &operand, size_t elements, size_t size) {
    Operand result = operand;
    if (operand.host != nullptr)
        result.host = static_cast<std::byte *>(operand.host) + elements * size;
    else
        result.offset += elements;
    return result;
}

// Row after row, with the same work space.
void run_each(cl::Task &task, const Algorithm &algorithm, const Request &r) {
    Request row = r;
    row.batch = 1;
    row.stride = r.n;
    const size_t bytes = plan(task.context(), algorithm, row).lendable_bytes;
    const Operand work = bytes > 0 ? task.work_space(bytes, 1) : Operand{};
    const cl::Task::Lent lent = task.lend(cl::Task::Lent{});
    for (size_t i = 0; i < (task.is_plan() ? 1 : r.batch); ++i) {
        row.keys = moved(r.keys, i * r.stride, dtype(r.dtype).size);
        row.values = moved(r.values, i * r.stride, r.value_size);
        if (r.index != 0) row.indices = moved(r.indices, i * r.stride, dtype(r.index).size);
        if (bytes > 0) task.lend(work, bytes);
        algorithm.run(task, row);
    }
    task.lend(lent);
}

// Copies the elements of rows to where they lie otherwise. `word`: the widest of 1, 2, 4 and 8
// bytes that divides an element's size and address.
void copy(cl::Task &task, const Request &r, size_t size, size_t word, const Operand &in, const Rows &in_rows,
          const Operand &out, const Rows &out_rows) {
    constexpr size_t kTile = 32;
    const auto &context = task.context();
    const size_t most = context.is_cpu() ? 1 : context.info().work_group_size;
    const size_t group = most < 64 ? 1 : std::min(std::bit_floor(most), size_t{256});
    const auto program = task.program({"sort/rows.cl", text("-DGP_INDEX=0 -DGP_WORDS=", word, " -DGP_GROUP=", group)});
    const size_t tiles = multiply(ceil_div(r.n, kTile), ceil_div(r.batch, kTile), "rows");
    task.launch(*program, "sort_copy_rows", cl::Range::groups(tiles, group), uint64_t{r.n}, uint64_t{r.batch},
                static_cast<uint32_t>(size / word), in, uint64_t{in_rows.stride}, uint64_t{in_rows.step}, out,
                uint64_t{out_rows.stride}, uint64_t{out_rows.step});
}

void run_gathered(cl::Task &task, const Algorithm &algorithm, const Request &r) {
    const size_t all = multiply(r.n, r.batch, "rows"), key = dtype(r.dtype).size,
                 index = r.index != 0 ? dtype(r.index).size : 0;
    Request dense = r;
    dense.stride = r.n;
    dense.step = 1;
    dense.keys = task.work_space(all, key);
    if (r.value_size != 0) dense.values = task.work_space(all, r.value_size);
    if (r.index != 0) dense.indices = task.work_space(all, index);
    dense.value_alignment = r.value_size != 0 ? alignment_of(r.value_size) : 1;
    copy(task, r, key, key, r.keys, r.rows(), dense.keys, dense.rows());
    if (r.value_size != 0) copy(task, r, r.value_size, word_bytes(r), r.values, r.rows(), dense.values, dense.rows());
    run_rows(task, algorithm, dense);
    if (r.index != 0) return copy(task, r, index, index, dense.indices, dense.rows(), r.indices, r.rows());
    copy(task, r, key, key, dense.keys, dense.rows(), r.keys, r.rows());
    if (r.value_size != 0) copy(task, r, r.value_size, word_bytes(r), dense.values, dense.rows(), r.values, r.rows());
}

} // namespace

const Algorithm *choose_for_rows(const cl::Context &context, const Request &r) {
    const auto choose_from = [&](const auto &list) -> const Algorithm * {
        for (const Algorithm *one : list)
            if (context.features().pay(one->info.needs | one->info.prefers) && !refusal_of(*one, context, r) &&
                one->fits(context, r) && is_trusted(context, algorithms(), one->info, r))
                return one;
        return nullptr;
    };
    return context.is_cpu() ? choose_from(kForCpus) : choose_from(kForGpus);
}

void run_rows(cl::Task &task, const Algorithm &algorithm, const Request &r) {
    if (r.is_one_array() || r.has_segments) return algorithm.run(task, r);
    if (!takes_as_they_lie(algorithm, r)) return run_gathered(task, algorithm, r);
    takes_rows(algorithm) ? algorithm.run(task, r) : run_each(task, algorithm, r);
}

} // namespace gpcl::sort
