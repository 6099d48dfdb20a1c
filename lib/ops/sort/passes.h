// What least-significant-digit radix sorts share: their passes, where keys and values lie before
// and after each, and what is left to do behind the last one.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/key_order.h"
#include "ops/sort/sort.h"

#include <algorithm>
#include <functional>

namespace gpcl::sort {

inline constexpr unsigned kDigitBits = 8;
inline constexpr size_t kDigits = size_t{1} << kDigitBits;

// The digits of a sort, from the lowest on: each of `bits` bits, which is 8 but for keys of fewer.
// The highest overlaps the one before where they do not come out even; a stable sort does not mind.
struct Digits {
    unsigned begin, last; // the lowest and the highest digit's shift
    unsigned bits;
    unsigned passes;
    uint32_t shift(unsigned pass) const { return std::min(begin + pass * kDigitBits, last); }
};
Digits digits(const Request &request);

// A sort's arrays, from which each pass that is not left out reads in turn: the keys, then `odd`,
// then `even`, `odd` ... (see gp_plan in kernels/sort/keys.cl). Operands without memory are not
// there.
struct Arrays {
    Arrays(cl::Task &task, const Request &request);
    cl::Operand keys, keys_even, keys_odd;
    cl::Operand values_even, values_odd; // values that travel, or indices
    cl::Operand order, other;            // the indices: where they end, and the other place
    cl::Operand values;                  // room for values that are fetched in the end
    bool number = false;                 // the values are indices, which the first pass makes
    bool drop_keys = false;              // nobody needs the keys after the last pass
    bool apart = false;                  // the keys end elsewhere than they began
};

// One stable reordering by one digit.
struct Pass {
    uint32_t number, shift;
    uint32_t flags; // some of these, which keys.cl calls GP_NUMBER and so on
    static constexpr uint32_t kNumber = 1, kDropKeys = 2, kApart = 4;
};

// Do the values move with the keys, in each pass?
bool values_travel(const Request &request);

// What travels with the keys: 0 bytes, or values of 1, 2, 4, 8 or 16, or indices of 4.
size_t travelling_bytes(const Request &request);

// As gp_ordered of kernels/common/order.cl takes it.
inline uint64_t flipped_bits(const Request &request) { return gpcl::flipped_bits(request.dtype, request.descending); }

// -D options for keys.cl: with what travels; or for kernels that take digits and values in their
// own way, without.
std::string key_options(const Request &request);
std::string key_options_alone(const Request &request);

// The widest words that values are made of, 0 without values.
inline size_t word_bytes(const Request &r) { return r.value_size != 0 ? std::min(r.value_alignment, size_t{8}) : 0; }

// -D options of kernels/sort/words.cl.
std::string word_options(const Request &request);

// Launches a kernel that sorts keys where they lie, with indices or values if there are any; `more`
// comes behind them.
template <class... More> void launch_in_place(cl::Task &task, cl::Program &program, const char *name,
                                              const cl::Range &range, const Request &r, const More &...more) {
    const auto n = static_cast<uint32_t>(r.n);
    const uint32_t begin = r.begin_bit, width = r.end_bit - r.begin_bit;
    const uint64_t flip = flipped_bits(r);
    if (r.index != 0)
        task.launch(program, name, range, n, begin, width, flip, r.keys, r.indices, more...);
    else if (r.value_size != 0)
        task.launch(program, name, range, n, begin, width, flip, r.keys, r.values,
                    static_cast<uint32_t>(r.value_size / word_bytes(r)), more...);
    else
        task.launch(program, name, range, n, begin, width, flip, r.keys, more...);
}

// -D options of kernels/sort/segment.cl, and the launch of a kernel that takes GP_OFFSETS before
// `more`.
std::string segment_options(const Request &request);
template <class... More> void launch_on_segments(cl::Task &task, cl::Program &program, const char *name,
                                                 const cl::Range &range, const Request &r, const More &...more) {
    if (r.has_ends)
        launch_in_place(task, program, name, range, r, uint64_t{r.segments}, r.offsets, r.ends, more...);
    else
        launch_in_place(task, program, name, range, r, uint64_t{r.segments}, r.offsets, more...);
}

// Makes uint64 of n uint32, or of fewer.
void widen(cl::Task &task, size_t n, const cl::Operand &in, const cl::Operand &out, const Counted &counted = {});

// sorted[i] = keys[indices[i]]
void fetch_keys(cl::Task &task, const Request &request);

// Runs every pass, then fetches what did not travel.
using RunPass = std::function<void(const Pass &)>;
void for_each_pass(const Request &request, const Arrays &arrays, const RunPass &run_pass); // the passes alone
void run_passes(cl::Task &task, const Request &request, const Arrays &arrays, const RunPass &run_pass);

// Launches a pass's kernel: `range`, what comes `before`, then GP_ARRAYS of keys.cl and the count.
template <class... Before> void launch_pass(cl::Task &task, cl::Program &program, const char *kernel,
                                            const cl::Range &range, const Request &r, const Arrays &a, const Pass &pass,
                                            const Before &...before) {
    const auto or_keys = [&](const cl::Operand &operand) { return operand.memory == nullptr ? a.keys : operand; };
    if (travelling_bytes(r) == 0)
        task.launch(program, kernel, range, before..., pass.number, pass.flags, a.keys, or_keys(a.keys_even),
                    a.keys_odd, r.counted.argument());
    else
        task.launch(program, kernel, range, before..., pass.number, pass.flags, a.keys, or_keys(a.keys_even),
                    or_keys(a.keys_odd), or_keys(a.values_even), or_keys(a.values_odd), r.counted.argument());
}

} // namespace gpcl::sort
