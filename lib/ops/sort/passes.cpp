// The course of a least-significant-digit radix sort, whatever does its passes.
// SPDX-License-Identifier: MIT
#include "ops/sort/passes.h"

#include "core/size.h"

#include <algorithm>
#include <bit>

namespace gpcl::sort {
namespace {

using cl::Operand;

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

auto values_program(cl::Task &task, gp_dtype index, const Counted &counted) {
    return task.program({"sort/values.cl", text("-DGP_ORDER=", dtype(index).opencl, counted.option())});
}

// Of elements of `size` bytes, aligned as `alignment` says; `order` has indices of a type.
void gather(cl::Task &task, const Request &r, size_t size, size_t alignment, gp_dtype index, const Operand &in,
            const Operand &order, const Operand &out) {
    const auto [items, run] = spread(task.context(), r.n);
    const auto program = values_program(task, index, r.counted);
    const auto word = static_cast<uint32_t>(alignment >= 8 ? 8 : alignment >= 4 ? 4 : 1);
    task.launch(*program, "sort_gather", cl::Range{{items, 0, 0}, {}, 1}, uint64_t{r.n}, uint64_t{run},
                static_cast<uint32_t>(size), word, in, order, out, r.counted.argument());
}

} // namespace

bool values_travel(const Request &r) {
    return std::has_single_bit(r.value_size) && r.value_size <= 16 && r.value_alignment == r.value_size;
}

void widen(cl::Task &task, size_t n, const Operand &in, const Operand &out, const Counted &counted) {
    const auto [items, run] = spread(task.context(), n);
    const auto program = values_program(task, GP_UINT32, counted);
    task.launch(*program, "sort_widen", cl::Range{{items, 0, 0}, {}, 1}, uint64_t{n}, uint64_t{run}, in, out,
                counted.argument());
}

void fetch_keys(cl::Task &task, const Request &r) {
    const size_t size = dtype(r.dtype).size;
    gather(task, r, size, size, r.index, r.keys, r.indices, r.sorted);
}

size_t travelling_bytes(const Request &r) {
    if (values_travel(r)) return r.value_size;
    return r.value_size != 0 || r.index != 0 ? sizeof(uint32_t) : 0;
}

namespace {
std::string key_options(const Request &r, size_t value_bytes, unsigned digit_bits) {
    return text(key_order_options(r.dtype), " -DGP_VALUE_BYTES=", value_bytes, " -DGP_DIGIT_BITS=", digit_bits,
                r.counted.option());
}
} // namespace

std::string key_options(const Request &r) { return key_options(r, travelling_bytes(r), digits(r).bits); }
std::string key_options_alone(const Request &r) { return key_options(r, 0, kDigitBits); }

Digits digits(const Request &r) {
    const unsigned width = r.end_bit - r.begin_bit;
    const unsigned bits = std::min(width, kDigitBits);
    return {r.begin_bit, r.end_bit - bits, bits, ceil_div(width, kDigitBits)};
}

// Keys in place go back and forth between their own memory and a copy. argsort must not write them,
// and needs none after the last pass, unless they are wanted apart. Values that travel do as keys
// do. Indices begin as none, and end where they are wanted.
Arrays::Arrays(cl::Task &task, const Request &r) {
    const size_t n = r.n;
    const size_t key_size = dtype(r.dtype).size;
    const unsigned passes = digits(r).passes;
    const bool argsort = r.index != 0;
    apart = r.is_apart();
    drop_keys = argsort && !apart;
    keys = keys_even = r.keys;
    if (apart) {
        keys_even = r.sorted;
        if (passes > 1) keys_odd = task.work_space(n, key_size);
        if (passes % 2 != 0) std::swap(keys_even, keys_odd);
    } else {
        if (!argsort || passes > 1) keys_odd = task.work_space(n, key_size);
        if (argsort && passes > 2) keys_even = task.work_space(n, key_size);
    }
    if (values_travel(r)) {
        values_even = r.values;
        values_odd = apart ? r.sorted_values : task.work_space(n, r.value_size); // apart: in one pass
        return;
    }
    if (!argsort && r.value_size == 0) return;
    number = true;
    if (r.index == GP_UINT32) {
        order = r.indices;
        if (passes > 1) other = task.work_space(n, sizeof(uint32_t));
    } else if (argsort) {
        order = task.work_space(n, sizeof(uint32_t));
        // Half of that memory, but where some of the indices stay as they are.
        other = r.has_segments || r.counted.is_there ? task.work_space(n, sizeof(uint32_t))
                                                     : Operand{r.indices.memory, 2 * r.indices.offset, nullptr};
    } else {
        order = task.work_space(n, sizeof(uint32_t));
        // Later holds the copy of the values.
        values = task.work_space(ceil_div(n * std::max(sizeof(uint32_t), r.value_size), r.value_size), r.value_size);
        other = {values.memory, values.offset * r.value_size / sizeof(uint32_t), nullptr};
    }
    values_even = passes % 2 == 0 ? order : other;
    values_odd = passes % 2 == 0 ? other : order;
}

std::string word_options(const Request &r) {
    return text(" -DGP_INDEX=", r.index != 0 ? dtype(r.index).size : 0, " -DGP_WORDS=", word_bytes(r));
}

std::string segment_options(const Request &r) {
    return text(" -DGP_SEGMENTS -DGP_OFFSET=", dtype(r.offset_type).opencl, " -DGP_ENDS=", r.has_ends ? 1 : 0);
}

void for_each_pass(const Request &r, const Arrays &a, const RunPass &run_pass) {
    const Digits all = digits(r);
    for (unsigned pass = 0; pass < all.passes; ++pass) {
        const bool drop = a.drop_keys && pass + 1 == all.passes;
        run_pass({pass, all.shift(pass),
                  (a.number ? Pass::kNumber : 0) | (drop ? Pass::kDropKeys : 0) | (a.apart ? Pass::kApart : 0)});
    }
}

void run_passes(cl::Task &task, const Request &r, const Arrays &a, const RunPass &run_pass) {
    const size_t key_size = dtype(r.dtype).size;
    const Digits all = digits(r);
    const bool turns = r.index == 0 && !a.apart && all.passes % 2 != 0; // they end in the copies
    if (turns && r.counted.is_there) { // behind the count, where no pass writes, those hold the same
        task.copy(r.keys, a.keys_odd, r.n, key_size);
        if (values_travel(r)) task.copy(r.values, a.values_odd, r.n, r.value_size);
    }
    for_each_pass(r, a, run_pass);
    // Values before keys: should memory be short now, the keys are still as they were where a
    // single pass moved them.
    if (a.values.memory != nullptr) task.copy(r.values, a.values, r.n, r.value_size);
    if (turns) {
        task.copy(a.keys_odd, r.keys, r.n, key_size);
        if (values_travel(r)) task.copy(a.values_odd, r.values, r.n, r.value_size);
    }
    if (r.index == GP_UINT64) widen(task, r.n, a.order, r.indices, r.counted);
    if (a.values.memory != nullptr)
        gather(task, r, r.value_size, r.value_alignment, GP_UINT32, a.values, a.order, r.values);
}

} // namespace gpcl::sort
