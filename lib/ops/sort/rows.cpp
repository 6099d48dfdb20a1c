// Sorts of rows: the choice for them, one row after the other, and rows that are gathered first.
// Host side of kernels/sort/rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include "core/size.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gpcl::sort {
namespace {

using cl::Operand;

// What the time of a row follows from.
struct RowKind {
    explicit RowKind(const Request &r)
        : n(static_cast<double>(r.n)), bytes(dtype(r.dtype).size), wide(bytes == 8), stable(is_stable(r)),
          moves(r.value_size != 0), is_float(gpcl::is_float(r.dtype)) {}
    double n;
    size_t bytes;
    bool wide, stable, moves, is_float;
};

// The costs are picoseconds of a row, within a tenth or so of what 2^24 keys take on an H200.

// Bins take hardly more for long rows than for short ones. Floats that share exponents crowd them.
double bins_cost(const RowKind &row) {
    if (row.bytes == 1 && !row.stable) return 620 + row.n * 2.2;
    const double cost = 720 + (row.wide ? 230 : 0) + (row.stable ? 130 : 0) + row.n * (row.stable ? 5.7 : 3.7);
    return row.is_float ? 1.25 * cost : cost;
}

// Warps take as long for any row of up to 32 keys, twice as long up to 64, and some four times up
// to 128.
double warps_cost(const RowKind &row) {
    const bool plain = row.bytes == 4 && !row.stable;
    const double times = row.n <= 32 ? 1 : row.n <= 64 ? (plain ? 1.8 : 2) : (plain ? 3.7 : 4.6);
    const double keys = row.bytes == 4 ? 155 : row.wide ? 248 : 210;
    const double values = !row.moves ? 0 : row.wide ? 115 : 85;
    return times * (keys + (row.stable ? 160 : 0) + values);
}

// A tile moves each slot of a row, and compares it with every block of four but its own.
double tiles_cost(const RowKind &row) {
    const double blocks = std::ceil(row.n / 4);
    double moved = (row.bytes == 4 ? 2.9 : 2.3) + (row.moves ? 1.8 : 0) + (row.stable ? 0.2 : 0);
    if (row.wide) moved = row.moves ? 8.5 : row.stable ? 4.7 : 3.8;
    const double compared = !row.wide ? 0.48 : row.moves ? 0.6 : 0.88;
    return 4 * blocks * (moved + (blocks - 1) * compared);
}

// A network takes a time for its width, of 8, 16, 32 or 64, and one for each key. With places it
// takes more than tiles.
double networks_cost(const RowKind &row) {
    struct Times {
        double network, key;
    };
    using Widths = std::array<Times, 4>;
    constexpr Widths kWide = {{{11.5, 3.1}, {31, 3.3}, {54, 5.5}, {160, 6}}};
    constexpr Widths kWord = {{{6.2, 2.2}, {16, 2.1}, {19, 3}, {163, 3}}};
    constexpr Widths kNarrow = {{{6.8, 2}, {17, 1.8}, {29, 2.3}, {145, 2.3}}};
    if (row.stable) return std::numeric_limits<double>::infinity();
    const size_t width = row.n <= 8 ? 0 : row.n <= 16 ? 1 : row.n <= 32 ? 2 : 3;
    const Times times = (row.wide ? kWide : row.bytes == 4 ? kWord : kNarrow)[width];
    return times.network + row.n * times.key;
}

struct Way {
    const Algorithm *algorithm;
    double (*cost)(const RowKind &);
};
constexpr std::array<Way, 4> kWays = {
    {{&kRowTiles, tiles_cost}, {&kRowNetworks, networks_cost}, {&kRowWarps, warps_cost}, {&kRowBins, bins_cost}}};

bool takes_rows(const Algorithm &algorithm) {
    const auto is = [&](const Algorithm *one) { return algorithm.run == one->run; };
    return is(&kHost) || is(&kRowSweeps) || is(&kRowItems) ||
           std::any_of(kWays.begin(), kWays.end(), [&](const Way &way) { return is(way.algorithm); });
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
    const auto is_candidate = [&](const Algorithm *one) {
        return context.features().pay(one->info.needs | one->info.prefers) && !refusal_of(*one, context, r) &&
               fits_request(*one, context, r) && is_trusted(context, algorithms(), one->info, r);
    };
    if (context.is_cpu()) return is_candidate(&kRowItems) ? &kRowItems : nullptr;
    const Algorithm *best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    const RowKind row(r);
    for (const Way &way : kWays) {
        const double cost = way.cost(row);
        if (cost >= least || !is_candidate(way.algorithm)) continue;
        best = way.algorithm;
        least = cost;
    }
    return best != nullptr || !is_candidate(&kRowSweeps) ? best : &kRowSweeps;
}

void run_rows(cl::Task &task, const Algorithm &algorithm, const Request &r) {
    if (r.is_one_array() || r.has_segments) return algorithm.run(task, r);
    if (!takes_as_they_lie(algorithm, r)) return run_gathered(task, algorithm, r);
    takes_rows(algorithm) ? algorithm.run(task, r) : run_each(task, algorithm, r);
}

} // namespace gpcl::sort
