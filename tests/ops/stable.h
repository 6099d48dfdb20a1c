// What the tests of stable sorts share.
// SPDX-License-Identifier: MIT
#pragma once

#include "every_type.h"

#include "../reference/sort.h"

#include <random>

namespace test {

// Few distinct keys, so that stability shows, some of them zeros of both signs and NaN; or any
// bits.
template <class T> std::vector<T> keys_of(size_t n, size_t seed, bool few) {
    std::mt19937_64 random(seed);
    std::vector<T> keys(n);
    for (T &key : keys) {
        const uint64_t bits = random();
        if (!few) {
            key = from_bits<T>(bits);
        } else if constexpr (std::is_floating_point_v<T>) {
            const T values[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(),
                                T(1), T(-1)};
            key = values[bits % 6];
        } else {
            key = static_cast<T>(bits % 5);
        }
    }
    return keys;
}

inline std::vector<uint8_t> random_bytes(size_t n) {
    std::mt19937_64 random(n);
    std::vector<uint8_t> bytes(n);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// Whether keys of T are tried with every kind of values and of offsets. Each kind is another
// program, for each class of sizes. Where programs are spared, int32 has every kind, another type
// one.
template <class T> bool has_every_kind() { return std::is_same_v<T, int32_t> || !spares_programs(); }

// Which of so many kinds is tried in that turn.
template <class T> size_t kind_in(size_t turn, size_t kinds) {
    return (has_every_kind<T>() ? turn : static_cast<size_t>(dtype<T>())) % kinds;
}

// Bytes of a value in that turn.
template <class T> size_t value_size_in(size_t turn) {
    constexpr size_t kSizes[] = {4, 3, 8, 16, 24};
    return kSizes[kind_in<T>(turn, std::size(kSizes))];
}

// Value i, of `size` elements, is value from[i] of `values`.
template <class T>
std::vector<T> permuted(const std::vector<T> &values, const std::vector<size_t> &from, size_t size = 1) {
    std::vector<T> result(values);
    for (size_t i = 0; i < from.size(); ++i)
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from[i] * size), size,
                    result.begin() + static_cast<std::ptrdiff_t>(i * size));
    return result;
}

inline bool refused(const gp_sort_options &options, gp_status status) {
    return refused(GP_SORT, options.algorithm, status);
}

// Sorts n keys, or rows or segments of them, on lent memory of as many bytes as the library says,
// and on less.
inline void check_on_lent_memory(gp_sort_options options, size_t n, const std::vector<int32_t> &keys,
                                 const std::vector<int32_t> &expected) {
    size_t bytes = 0;
    ASSERT_OK(gp_sort_work_bytes(context(), GP_INT32, n, 0, 0, &options, &bytes));
    DeviceArray<int32_t> array(keys);
    DeviceArray<uint8_t> work(std::vector<uint8_t>(bytes), 61);
    options.work = work.buffer();
    const auto sort = [&] {
        return gp_enqueue_sort(context(), GP_INT32, n, array.buffer(), array.offset(), &options, 0, nullptr, nullptr);
    };
    if (bytes > 0) {
        options.work_offset = work.offset() + 1 + 61;
        ASSERT_EQ(GP_ERROR_OUT_OF_BOUNDS, sort()) << gp_error_message();
        ASSERT_TRUE(same_bits(keys, array.values()));
    }
    options.work_offset = work.offset();
    ASSERT_OK(sort());
    ASSERT_OK(gp_finish(context()));
    work.values(); // looks after the canaries
    ASSERT_TRUE(same_bits(expected, array.values()));
}

} // namespace test
