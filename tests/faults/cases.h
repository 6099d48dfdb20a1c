// What is run with failures: calls of every kind, each of which checks its results as far as it
// succeeds.
// SPDX-License-Identifier: MIT
#pragma once

#include "faults/support.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>

namespace {

// The cases: each checks its results as far as it succeeds.

gp_status sort(gp_context *context) {
    std::vector<int32_t> keys = input();
    TRY(gp_sort(context, GP_INT32, kN, keys.data(), nullptr));
    EXPECT_EQ(sorted(), keys);
    return GP_SUCCESS;
}

gp_status argsort(gp_context *context) {
    const std::vector<int32_t> keys = input(), expected = sorted();
    std::vector<uint64_t> order(kN);
    TRY(gp_argsort(context, GP_INT32, kN, keys.data(), GP_UINT64, order.data(), nullptr));
    for (size_t i = 0; i < kN; ++i) EXPECT_EQ(expected[i], keys.at(order[i]));
    return GP_SUCCESS;
}

gp_status sort_pairs(gp_context *context) {
    std::vector<int32_t> keys = input();
    std::vector<int64_t> values(keys.begin(), keys.end());
    TRY(gp_sort_pairs(context, GP_INT32, kN, keys.data(), sizeof(int64_t), values.data(), nullptr));
    EXPECT_EQ(sorted(), keys);
    EXPECT_EQ(std::vector<int64_t>(keys.begin(), keys.end()), values);
    return GP_SUCCESS;
}

// In passes, with values that are fetched by index, and memory allocated anew: where that fails,
// the arrays are as they were.
gp_status sort_in_passes(gp_context *context) {
    constexpr size_t kSize = 12;
    TRY(gp_trim(context));
    const std::vector<int32_t> before = input();
    std::vector<int32_t> keys = before;
    std::vector<char> values(kN * kSize);
    for (size_t i = 0; i < kN; ++i) values[i * kSize] = static_cast<char>(keys[i]);
    const std::vector<char> values_before = values;
    Buffer device_keys, device_values;
    TRY(gp_buffer_create(context, kBytes, &device_keys.handle));
    TRY(gp_buffer_create(context, values.size(), &device_values.handle));
    TRY(gp_buffer_write(device_keys.handle, 0, kBytes, keys.data()));
    TRY(gp_buffer_write(device_values.handle, 0, values.size(), values.data()));
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = "radix-chunks";
    const bool early = faults_hit() == nullptr;
    const gp_status status = NOTED(gp_enqueue_sort_pairs(context, GP_INT32, kN, device_keys.handle, 0, kSize,
                                                         device_values.handle, 0, &options, 0, nullptr, nullptr));
    const char *hit = faults_hit();
    if (status != GP_SUCCESS &&
        !(early && hit != nullptr && std::string(hit).find("CreateBuffer") != std::string::npos))
        return status;
    TRY(gp_buffer_read(device_keys.handle, 0, kBytes, keys.data()));
    TRY(gp_buffer_read(device_values.handle, 0, values.size(), values.data()));
    EXPECT_EQ(status == GP_SUCCESS ? sorted() : before, keys);
    if (status != GP_SUCCESS) {
        EXPECT_EQ(values_before, values);
    }
    for (size_t i = 0; i < kN; ++i) EXPECT_EQ(static_cast<char>(keys[i]), values[i * kSize]);
    return status;
}

// Whose first launch counts in memory that the last one leaves full of zeros. Each call has another
// segment, so that what an earlier one has left there is seen.
gp_status sort_segments(gp_context *context) {
    constexpr size_t kKeys = 3000;
    static uint64_t calls = 0;
    const std::array<uint64_t, 3> offsets = {0, ++calls % 2 == 0 ? 5u : 400u, kKeys};
    std::vector<int32_t> keys(kKeys);
    for (size_t i = 0; i < kKeys; ++i) keys[i] = static_cast<int32_t>(i * 7919 % 1009);
    auto expected = keys;
    for (size_t s = 0; s + 1 < offsets.size(); ++s)
        std::sort(expected.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                  expected.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]));
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = "segments";
    options.segments = offsets.size() - 1;
    options.offsets = offsets.data();
    TRY(gp_sort(context, GP_INT32, kKeys, keys.data(), &options));
    EXPECT_EQ(expected, keys);
    return GP_SUCCESS;
}

gp_status scan(gp_context *context) {
    std::vector<int32_t> values = input();
    TRY(gp_scan(context, GP_INT32, kN, values.data(), values.data(), nullptr));
    EXPECT_EQ(summed(input()), values);
    return GP_SUCCESS;
}

gp_status scan_with_operator_text(gp_context *context) {
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.operator_source = "a + b";
    options.operator_identity = "0";
    std::vector<int32_t> values = input();
    TRY(gp_scan(context, GP_INT32, kN, values.data(), values.data(), &options));
    EXPECT_EQ(summed(input()), values);
    return GP_SUCCESS;
}

gp_status reduce(gp_context *context) {
    const std::vector<int32_t> values = input();
    int32_t sum = 0;
    TRY(gp_reduce(context, GP_INT32, kN, values.data(), &sum, nullptr));
    EXPECT_EQ(summed(values).back(), sum);
    return GP_SUCCESS;
}

gp_status top_k(gp_context *context) {
    const std::vector<int32_t> values = input();
    constexpr size_t kFew = 5;
    std::vector<int32_t> largest(kFew), expected = values;
    TRY(gp_top_k(context, GP_DESCENDING, GP_INT32, kN, values.data(), kFew, GP_UINT64, nullptr, largest.data(),
                 nullptr));
    std::sort(expected.rbegin(), expected.rend());
    expected.resize(kFew);
    EXPECT_EQ(expected, largest);
    return GP_SUCCESS;
}

gp_status arg_reduce(gp_context *context) {
    const std::vector<int32_t> values = input();
    int32_t value = 0;
    uint64_t position = 0;
    TRY(gp_arg_reduce(context, GP_MAXIMUM, GP_INT32, kN, values.data(), GP_UINT64, &position, &value, nullptr));
    const auto expected = std::max_element(values.begin(), values.end());
    EXPECT_EQ(expected - values.begin(), static_cast<std::ptrdiff_t>(position));
    EXPECT_EQ(*expected, value);
    return GP_SUCCESS;
}

gp_status merge(gp_context *context) {
    std::vector<int32_t> a = input(), expected = input(), out(2 * kN);
    std::sort(a.begin(), a.end());
    expected.insert(expected.end(), a.begin(), a.end());
    std::sort(expected.begin(), expected.end());
    TRY(gp_merge(context, GP_INT32, kN, a.data(), kN, a.data(), out.data(), nullptr));
    EXPECT_EQ(expected, out);
    return GP_SUCCESS;
}

gp_status merge_runs(gp_context *context) {
    std::vector<int32_t> keys = input(), expected = input(), out(kN);
    const uint64_t offsets[] = {0, kN / 3, kN / 2, kN};
    for (size_t run = 0; run < 3; ++run)
        std::sort(keys.begin() + static_cast<std::ptrdiff_t>(offsets[run]),
                  keys.begin() + static_cast<std::ptrdiff_t>(offsets[run + 1]));
    std::sort(expected.begin(), expected.end());
    TRY(gp_merge_runs(context, GP_INT32, kN, keys.data(), 3, offsets, out.data(), nullptr));
    EXPECT_EQ(expected, out);
    return GP_SUCCESS;
}

gp_status select(gp_context *context) {
    const std::vector<int32_t> values = input();
    std::vector<uint8_t> flags(kN);
    std::vector<int32_t> expected, out(kN);
    for (size_t i = 0; i < kN; i += 3) {
        flags[i] = 1;
        expected.push_back(values[i]);
    }
    uint64_t count = 0;
    TRY(gp_select(context, sizeof(int32_t), kN, values.data(), flags.data(), out.data(), &count, nullptr));
    out.resize(count);
    EXPECT_EQ(expected, out);
    return GP_SUCCESS;
}

gp_status histogram_weighted(gp_context *context) {
    const std::vector<int32_t> values = input();
    const std::vector<float> weights(kN, 0.5F);
    std::vector<float> sums(1);
    std::vector<uint64_t> counts(4);
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.lower = -2e9;
    options.upper = 2e9;
    TRY(gp_histogram_weighted(context, GP_INT32, kN, values.data(), GP_FLOAT32, weights.data(), 1, sums.data(),
                              &options));
    EXPECT_EQ(0.5F * kN, sums[0]);
    gp_histogram_2d_options pairs = GP_HISTOGRAM_2D_OPTIONS_INIT;
    pairs.lower_x = pairs.lower_y = -2e9;
    pairs.upper_x = pairs.upper_y = 2e9;
    TRY(gp_histogram_2d(context, GP_INT32, kN, values.data(), values.data(), 0, nullptr, 2, 2, counts.data(), &pairs));
    EXPECT_EQ(kN, counts[0] + counts[3]);
    return GP_SUCCESS;
}

gp_status search(gp_context *context) {
    std::vector<int32_t> sorted = input();
    const std::vector<int32_t> values = sorted;
    std::sort(sorted.begin(), sorted.end());
    std::vector<uint32_t> positions(kN);
    TRY(gp_search(context, GP_INT32, kN, sorted.data(), kN, values.data(), GP_UINT32, positions.data(), nullptr));
    for (size_t i = 0; i < kN; ++i)
        EXPECT_EQ(std::lower_bound(sorted.begin(), sorted.end(), values[i]) - sorted.begin(), positions[i]);
    return GP_SUCCESS;
}

gp_status is_sorted(gp_context *context) {
    const std::vector<int32_t> values = input();
    uint64_t position = 0;
    TRY(gp_is_sorted(context, GP_INT32, kN, values.data(), &position, nullptr));
    EXPECT_EQ(std::is_sorted_until(values.begin(), values.end()) - values.begin(),
              static_cast<std::ptrdiff_t>(position));
    return GP_SUCCESS;
}

gp_status transform(gp_context *context) {
    const std::vector<int32_t> values = input();
    const gp_dtype type = GP_INT32;
    const void *const in = values.data();
    std::vector<int32_t> out(kN);
    TRY(gp_transform(context, kN, 1, &type, &in, GP_INT32, out.data(), "x0 - 7", nullptr));
    for (size_t i = 0; i < kN; ++i) EXPECT_EQ(values[i] - 7, out[i]);
    return GP_SUCCESS;
}

gp_status difference(gp_context *context) {
    const std::vector<int32_t> values = input();
    std::vector<int32_t> out(kN), expected(kN);
    TRY(gp_difference(context, GP_INT32, kN, values.data(), out.data(), nullptr));
    std::adjacent_difference(values.begin(), values.end(), expected.begin());
    EXPECT_EQ(expected, out);
    return GP_SUCCESS;
}

gp_status paths(gp_context *context) {
    constexpr size_t kNodes = 40;
    std::vector<int32_t> lengths(kNodes * kNodes, INT32_MAX), nodes(lengths.size());
    for (size_t i = 0; i < kNodes; ++i) lengths[i * kNodes + (i + 1) % kNodes] = 2;
    const std::vector<int32_t> edges = lengths;
    TRY(gp_paths(context, GP_INT32, kNodes, edges.data(), kNodes, lengths.data(), kNodes, nullptr, kNodes, nullptr));
    EXPECT_EQ(static_cast<int32_t>(2 * (kNodes - 1)), lengths[kNodes - 1]);
    TRY(gp_paths(context, GP_INT32, kNodes, edges.data(), kNodes, lengths.data(), kNodes, nodes.data(), kNodes,
                 nullptr));
    EXPECT_EQ(static_cast<int32_t>(kNodes - 2), nodes[kNodes - 1]);
    return GP_SUCCESS;
}

gp_status gather(gp_context *context) {
    const std::vector<int32_t> values = input();
    std::vector<uint32_t> positions(kN);
    for (size_t i = 0; i < kN; ++i) positions[i] = static_cast<uint32_t>(kN - 1 - i);
    std::vector<int32_t> out(kN), back(kN);
    TRY(gp_gather(context, 4, kN, values.data(), GP_UINT32, kN, positions.data(), out.data(), nullptr));
    EXPECT_EQ(std::vector<int32_t>(values.rbegin(), values.rend()), out);
    TRY(gp_scatter(context, 4, kN, out.data(), GP_UINT32, positions.data(), kN, back.data(), nullptr));
    EXPECT_EQ(values, back);
    return GP_SUCCESS;
}

gp_status transpose(gp_context *context) {
    const std::vector<int32_t> values = input();
    constexpr size_t kColumns = 5, kRows = kN / kColumns;
    std::vector<int32_t> expected((kRows + 1) * kColumns, 7), out = expected;
    for (size_t i = 0; i < kRows * kColumns; ++i) expected[i % kColumns * (kRows + 1) + i / kColumns] = values[i];
    TRY(gp_transpose_matrix(context, 4, kRows, kColumns, values.data(), kColumns, out.data(), kRows + 1, nullptr));
    EXPECT_EQ(expected, out);
    return GP_SUCCESS;
}

gp_status matmul(gp_context *context) {
    constexpr size_t kSide = 20;
    const std::vector<int32_t> values = input();
    std::vector<int32_t> c(kSide * kSide), expected(kSide * kSide);
    for (size_t i = 0; i < kSide; ++i) {
        for (size_t j = 0; j < kSide; ++j) {
            for (size_t k = 0; k < kSide; ++k) {
                expected[i * kSide + j] += values[i * kSide + k] * values[k * kSide + j];
            }
        }
    }
    TRY(gp_matmul(context, GP_INT32, kSide, kSide, kSide, values.data(), kSide, values.data(), kSide, c.data(), kSide,
                  nullptr));
    EXPECT_EQ(expected, c);
    return GP_SUCCESS;
}

gp_status matmul_of_images(gp_context *context) {
    constexpr size_t kSide = 20;
    const std::vector<float> a(kSide * kSide, 2);
    std::vector<float> c(kSide * kSide);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.algorithm = "images";
    const auto multiply = [&] {
        return NOTED(gp_matmul(context, GP_FLOAT32, kSide, kSide, kSide, a.data(), kSide, a.data(), kSide, c.data(),
                               kSide, &options));
    };
    const gp_status status = multiply();
    options.algorithm = nullptr;
    if (status == GP_ERROR_ALGORITHM_REFUSED) { // a device that could not be asked has none
        said.clear();
        TRY(multiply());
    } else if (status != GP_SUCCESS) {
        return status;
    }
    EXPECT_EQ(std::vector<float>(c.size(), 4 * kSide), c);
    return GP_SUCCESS;
}

gp_status chained(gp_context *context) {
    Buffer keys, sums;
    Event written, ordered, scanned, read;
    const std::vector<int32_t> values = input();
    static std::vector<int32_t> result(kN); // outlives a read that was enqueued when a later call failed
    TRY(gp_buffer_create(context, kBytes, &keys.handle));
    TRY(gp_buffer_create(context, kBytes, &sums.handle));
    TRY(gp_buffer_write(keys.handle, 0, kBytes, values.data()));
    const int32_t zero = 0;
    TRY(gp_enqueue_fill(sums.handle, 0, kBytes, &zero, sizeof zero, 0, nullptr, &written.handle));
    TRY(gp_enqueue_sort(context, GP_INT32, kN, keys.handle, 0, nullptr, 1, &written.handle, &ordered.handle));
    TRY(gp_enqueue_scan(context, GP_INT32, kN, keys.handle, 0, sums.handle, 0, nullptr, 1, &ordered.handle,
                        &scanned.handle));
    TRY(gp_enqueue_copy(sums.handle, 0, keys.handle, 0, kBytes, 0, nullptr, nullptr));
    TRY(gp_enqueue_read(keys.handle, 0, kBytes, result.data(), 1, &scanned.handle, &read.handle));
    TRY(gp_flush(context));
    TRY(gp_event_wait(read.handle));
    EXPECT_EQ(summed(sorted()), result);
    return GP_SUCCESS;
}

gp_status mapped(gp_context *context) {
    Buffer buffer;
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    void *pointer = nullptr;
    TRY(gp_buffer_map(buffer.handle, GP_WRITE, 0, kBytes, &pointer));
    const std::vector<int32_t> values = input();
    std::copy(values.begin(), values.end(), static_cast<int32_t *>(pointer));
    TRY(gp_buffer_unmap(buffer.handle, pointer));
    std::vector<int32_t> back(kN);
    TRY(gp_buffer_read(buffer.handle, 0, kBytes, back.data()));
    EXPECT_EQ(values, back);
    return GP_SUCCESS;
}

gp_status timed(gp_context *context) {
    Event event;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event.handle;
    std::vector<int32_t> keys = input();
    TRY(gp_profile(context, 1));
    TRY(gp_sort(context, GP_INT32, kN, keys.data(), &options));
    EXPECT_EQ(sorted(), keys);
    gp_timing timing = GP_TIMING_INIT;
    TRY(gp_event_timing(event.handle, &timing));
    EXPECT_GE(timing.kernels, 1u);
    for (size_t i = 0; i < timing.commands; ++i) {
        gp_command command = GP_COMMAND_INIT;
        TRY(gp_event_command(event.handle, i, &command));
    }
    return NOTED(gp_profile(context, 0));
}

gp_status own_kernel(gp_context *context) {
    Buffer buffer;
    Kernel kernel;
    TRY(gp_kernel_build(context, "kernel void twice(global int *x, int by) { x[get_global_id(0)] *= by; }", nullptr,
                        "twice", &kernel.handle));
    TRY(gp_buffer_create(context, kBytes, &buffer.handle));
    std::vector<int32_t> values = input(), back(kN);
    TRY(gp_buffer_write(buffer.handle, 0, kBytes, values.data()));
    const int32_t two = 2;
    const gp_argument arguments[] = {{buffer.handle, nullptr, 0}, {nullptr, &two, sizeof two}};
    TRY(gp_enqueue_kernel(kernel.handle, 1, &kN, nullptr, 2, arguments, 0, nullptr, nullptr));
    TRY(gp_buffer_read(buffer.handle, 0, kBytes, back.data()));
    for (int32_t &value : values) value *= 2;
    EXPECT_EQ(values, back);
    return GP_SUCCESS;
}

gp_status warmed_up(gp_context *context) {
    TRY(gp_warmup(context, GP_SORT, GP_FLOAT32));
    TRY(gp_trim(context));
    return sort(context);
}

constexpr size_t kLarge = 40000; // bytes, which are staged in several chunks where GPCL_STAGING is
const char *const kStaging = "4096";

std::vector<unsigned char> &
large(unsigned char first) { // outlives transfers that were enqueued when a later call failed
    static std::vector<unsigned char> bytes(kLarge);
    for (size_t i = 0; i < kLarge; ++i) bytes[i] = static_cast<unsigned char>(first + i * 7 + i / 251);
    return bytes;
}

gp_status staged(gp_context *context) {
    TRY(gp_trim(context)); // slots are pinned anew
    const std::vector<unsigned char> sent = large(1);
    Buffer buffer;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_buffer_write(buffer.handle, 0, kLarge, sent.data()));
    std::vector<unsigned char> back(kLarge);
    TRY(gp_buffer_read(buffer.handle, 0, kLarge, back.data()));
    EXPECT_TRUE(sent == back);
    return GP_SUCCESS;
}

gp_status staged_enqueued(gp_context *context) {
    static std::vector<unsigned char> back(kLarge);
    TRY(gp_finish(context)); // what an earlier call left under way ends before the arrays are written
    const std::vector<unsigned char> &sent = large(static_cast<unsigned char>(back[0] + 1));
    Buffer buffer, copied;
    Event written, read;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_buffer_create(context, kLarge, &copied.handle));
    const gp_status write = NOTED(gp_enqueue_write(buffer.handle, 0, kLarge, sent.data(), 0, nullptr, &written.handle));
    if (write != GP_SUCCESS) return write;
    TRY(gp_enqueue_copy(buffer.handle, 0, copied.handle, 0, kLarge, 1, &written.handle, nullptr));
    TRY(gp_enqueue_read(copied.handle, 0, kLarge, back.data(), 0, nullptr, &read.handle));
    TRY(gp_event_wait(read.handle));
    TRY(gp_event_wait(written.handle));
    EXPECT_TRUE(sent == back);
    return GP_SUCCESS;
}

// Without events, the one who waits for everything is told.
gp_status staged_unheard(gp_context *context) {
    static std::vector<unsigned char> back(kLarge);
    TRY(gp_finish(context));
    const std::vector<unsigned char> &sent = large(static_cast<unsigned char>(back[0] + 1));
    Buffer buffer;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_enqueue_write(buffer.handle, 0, kLarge, sent.data(), 0, nullptr, nullptr));
    TRY(gp_enqueue_read(buffer.handle, 0, kLarge, back.data(), 0, nullptr, nullptr));
    TRY(gp_finish(context));
    EXPECT_TRUE(sent == back);
    return GP_SUCCESS;
}

gp_status staged_sort(gp_context *context) {
    std::vector<uint32_t> keys(kLarge / 4), values(kLarge / 4);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = values[i] = static_cast<uint32_t>(i * 2654435761u);
    std::vector<uint32_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    TRY(gp_sort_pairs(context, GP_UINT32, keys.size(), keys.data(), 4, values.data(), nullptr));
    EXPECT_TRUE(expected == keys);
    EXPECT_TRUE(expected == values);
    return GP_SUCCESS;
}

gp_status staged_timed(gp_context *context) {
    TRY(gp_profile(context, 1));
    const gp_status status = [&]() -> gp_status {
        Buffer buffer;
        Event written;
        TRY(gp_buffer_create(context, kLarge, &buffer.handle));
        TRY(gp_enqueue_write(buffer.handle, 0, kLarge, large(3).data(), 0, nullptr, &written.handle));
        gp_timing timing = GP_TIMING_INIT;
        TRY(gp_event_timing(written.handle, &timing));
        EXPECT_EQ(1u, timing.commands);
        EXPECT_GT(timing.upload_ns, 0u);
        return GP_SUCCESS;
    }();
    const gp_status off = NOTED(gp_profile(context, 0)); // which waits
    return status != GP_SUCCESS ? status : off;
}

gp_status pinned(gp_context *context) {
    struct Memory {
        ~Memory() { gp_host_free(pointer); }
        void *pointer = nullptr;
    } memory;
    TRY(gp_host_alloc(context, kLarge, &memory.pointer));
    const std::vector<unsigned char> sent = large(5);
    std::copy(sent.begin(), sent.end(), static_cast<unsigned char *>(memory.pointer));
    std::vector<unsigned char> back(kLarge);
    Buffer buffer;
    TRY(gp_buffer_create(context, kLarge, &buffer.handle));
    TRY(gp_buffer_write(buffer.handle, 0, kLarge, memory.pointer));
    TRY(gp_host_register(context, back.data(), kLarge));
    const gp_status read = NOTED(gp_buffer_read(buffer.handle, 0, kLarge, back.data()));
    const gp_status last = NOTED(gp_host_unregister(context, back.data()));
    if (read != GP_SUCCESS || last != GP_SUCCESS) return read != GP_SUCCESS ? read : last;
    EXPECT_TRUE(sent == back);
    return GP_SUCCESS;
}

// Calls whose arrays pass through the device in pieces.
gp_status streamed(gp_context *context) {
    setenv("GPCL_STREAM", "16384", 1);
    const gp_status status = [&]() -> gp_status {
        constexpr size_t kN = kLarge / 4;
        std::vector<uint32_t> in(kN), out(kN), expected(kN);
        for (size_t i = 0; i < kN; ++i) in[i] = static_cast<uint32_t>(i * 2654435761u);
        std::partial_sum(in.begin(), in.end(), expected.begin());
        TRY(gp_scan(context, GP_UINT32, kN, in.data(), out.data(), nullptr));
        EXPECT_TRUE(expected == out);
        uint32_t sum = 0;
        TRY(gp_reduce(context, GP_UINT32, kN, in.data(), &sum, nullptr));
        EXPECT_EQ(expected.back(), sum);
        std::vector<uint64_t> counts(256);
        TRY(gp_histogram(context, GP_UINT8, kLarge, large(1).data(), counts.size(), counts.data(), nullptr));
        uint64_t counted = 0;
        for (const uint64_t count : counts) counted += count;
        EXPECT_EQ(kLarge, counted);
        const float c[2] = {-1, -1};
        std::vector<float> y(kN, 1);
        TRY(gp_recurrence(context, GP_FLOAT32, kN, y.data(), y.data(), 2, c, nullptr));
        for (size_t t = 0; t < kN; ++t) EXPECT_EQ(t % 3 == 0 ? 1.0f : 0.0f, y[t]);
        std::vector<uint32_t> values(in);
        out = in;
        TRY(gp_sort_pairs(context, GP_UINT32, kN, out.data(), sizeof(uint32_t), values.data(), nullptr));
        EXPECT_TRUE(std::is_sorted(out.begin(), out.end()) && out == values);
        return GP_SUCCESS;
    }();
    unsetenv("GPCL_STREAM");
    return status;
}

// An environment variable that is set while this lives.
struct Variable {
    Variable(const char *variable, const std::string &value) : name(variable) {
        if (const char *text = std::getenv(name)) before = text;
        setenv(name, value.c_str(), 1);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;
    ~Variable() {
        if (before)
            setenv(name, before->c_str(), 1);
        else
            unsetenv(name);
    }

    const char *name;
    std::optional<std::string> before;
};

constexpr Case kCases[] = {{"sort", sort},
                           {"argsort", argsort},
                           {"sort_pairs", sort_pairs},
                           {"sort_in_passes", sort_in_passes},
                           {"sort_segments", sort_segments},
                           {"scan", scan},
                           {"scan_with_operator_text", scan_with_operator_text},
                           {"reduce", reduce},
                           {"arg_reduce", arg_reduce},
                           {"top_k", top_k},
                           {"merge", merge},
                           {"merge_runs", merge_runs},
                           {"select", select},
                           {"histogram_weighted", histogram_weighted},
                           {"search", search},
                           {"is_sorted", is_sorted},
                           {"gather", gather},
                           {"transpose", transpose},
                           {"matmul", matmul},
                           {"matmul_of_images", matmul_of_images},
                           {"paths", paths},
                           {"transform", transform},
                           {"difference", difference},
                           {"chained", chained},
                           {"mapped", mapped},
                           {"timed", timed},
                           {"own_kernel", own_kernel},
                           {"warmed_up", warmed_up},
                           {"staged", staged, true},
                           {"staged_enqueued", staged_enqueued, true},
                           {"staged_unheard", staged_unheard, true},
                           {"staged_sort", staged_sort, true},
                           {"staged_timed", staged_timed, true},
                           {"streamed", streamed},
                           {"streamed_staged", streamed, true},
                           {"pinned", pinned, true}};

} // namespace
