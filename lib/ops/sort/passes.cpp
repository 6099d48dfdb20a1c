// The course of a least-significant-digit radix sort, whatever does its passes.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include "core/size.h"

#include <algorithm>

namespace gpcl::sort {
namespace {

using cl::Operand;

bool values_travel(const Request &r) {
    return (r.value_size == 4 || r.value_size == 8) && r.value_alignment == r.value_size;
}

// An array that a pass reads from one place and writes to the other: where it lies after `pass` of `passes` passes,
// given that it ends in `last`.
Operand place(unsigned pass, unsigned passes, const Operand &last, const Operand &other) {
    return (passes - pass) % 2 == 0 ? last : other;
}

// Enough work-items to fill the device; on CPUs each has a contiguous part.
struct Spread {
    size_t items;
    size_t run;
};

Spread spread(const cl::Context &context, size_t n) {
    const size_t units = std::max<size_t>(context.info().compute_units, 1);
    if (!context.is_cpu()) return {std::min(round_up(n, size_t{64}), units * 2048), 1};
    const size_t items = std::min(units * 4, ceil_div(n, size_t{4096}));
    return {items, ceil_div(n, items)};
}

void gather(cl::Task &task, const Request &r, const Operand &in, const Operand &order, const Operand &out) {
    const auto [items, run] = spread(task.context(), r.n);
    const auto program = task.context().program("sort/values.cl", "");
    const auto size = static_cast<uint32_t>(r.value_size);
    const auto word = static_cast<uint32_t>(r.value_alignment >= 8 ? 8 : r.value_alignment >= 4 ? 4 : 1);
    task.launch(*program, "sort_gather", cl::Range{{items, 0, 0}, {}, 1}, uint64_t{r.n}, uint64_t{run}, size, word, in,
                order, out);
}

void widen(cl::Task &task, const Request &r, const Operand &in, const Operand &out) {
    const auto [items, run] = spread(task.context(), r.n);
    const auto program = task.context().program("sort/values.cl", "");
    task.launch(*program, "sort_widen", cl::Range{{items, 0, 0}, {}, 1}, uint64_t{r.n}, uint64_t{run}, in, out);
}

} // namespace

size_t travelling_bytes(const Request &r) {
    if (values_travel(r)) return r.value_size;
    return r.value_size != 0 || r.index != 0 ? sizeof(uint32_t) : 0;
}

uint64_t flipped_bits(const Request &r) {
    const bool is_signed = r.dtype <= GP_INT64;
    const uint64_t sign = uint64_t{1} << (8 * dtype(r.dtype).size - 1);
    return (is_signed ? sign : 0) ^ (r.descending ? ~uint64_t{0} : 0);
}

std::string key_options(const Request &r) {
    return text("-DGP_KEY_BYTES=", dtype(r.dtype).size, " -DGP_KEY_FLOAT=", is_float(r.dtype) ? 1 : 0,
                " -DGP_VALUE_BYTES=", travelling_bytes(r));
}

void run_passes(cl::Task &task, const Request &r, const std::function<void(const Pass &)> &run_pass) {
    const size_t n = r.n;
    const size_t key_size = dtype(r.dtype).size;
    const auto passes = static_cast<unsigned>(ceil_div<size_t>(8 * key_size, kDigitBits));
    const size_t index_bytes = multiply(n, sizeof(uint32_t), "indices");
    const bool argsort = r.index != 0;
    const bool travel = values_travel(r);

    // Keys in place go back and forth between their own memory and a copy. argsort must not write them, and needs none
    // after the last pass.
    Operand copy;          // after odd passes
    Operand home = r.keys; // after even passes
    if (!argsort || passes > 1) copy = task.work_space(n * key_size);
    if (argsort && passes > 2) home = task.work_space(n * key_size);
    const auto keys_after = [&](unsigned pass) -> Operand {
        if (pass == 0) return r.keys;
        if (argsort && pass == passes) return {};
        return pass % 2 == 0 ? home : copy;
    };

    // Values that travel do as keys do. Indices begin as none, and end where they are wanted.
    Operand order, other;
    if (travel) {
        other = task.work_space(n * r.value_size);
    } else if (r.index == GP_UINT32) {
        order = r.indices;
        if (passes > 1) other = task.work_space(index_bytes);
    } else if (r.index == GP_UINT64) {
        order = task.work_space(index_bytes);
        other = {r.indices.memory, 2 * r.indices.offset, nullptr}; // half of that memory
    } else if (r.value_size != 0) {
        order = task.work_space(index_bytes);
        other = task.work_space(std::max(index_bytes, n * r.value_size)); // later holds the copy of the values
    }
    const auto values_after = [&](unsigned pass) -> Operand {
        if (travel) return pass % 2 == 0 ? r.values : other;
        return pass == 0 ? Operand{} : place(pass, passes, order, other);
    };

    for (unsigned pass = 0; pass < passes; ++pass) {
        run_pass(
            {pass * kDigitBits, keys_after(pass), keys_after(pass + 1), values_after(pass), values_after(pass + 1)});
    }
    if (!argsort && passes % 2 != 0) {
        task.copy(copy, r.keys, n, key_size);
        if (travel) task.copy(other, r.values, n, r.value_size);
    }
    if (r.index == GP_UINT64) widen(task, r, order, r.indices);
    if (r.value_size != 0 && !travel) {
        task.copy(r.values, other, n, r.value_size);
        gather(task, r, other, order, r.values);
    }
}

} // namespace gpcl::sort
