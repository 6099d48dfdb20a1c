// gpcl selftest: buffers, the enqueue forms with offsets and wait lists, the caller's own kernels.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <algorithm>
#include <numeric>

namespace command {

namespace {

std::vector<uint32_t> counting(size_t n) {
    std::vector<uint32_t> values(n);
    std::iota(values.begin(), values.end(), 1U);
    return values;
}

void copies(Selftest &test) {
    for (const auto n : test.sizes()) {
        const auto bytes = n * sizeof(uint32_t);
        const auto in = counting(n);
        std::vector<uint32_t> out(n + 1, 0);
        const Buffer first(test.context, bytes), second(test.context, bytes + 4);
        const uint32_t last = 77;
        test.ran(gp_buffer_write(first, 0, bytes, in.data()), nullptr);
        test.ran(gp_buffer_fill(second, 0, bytes + 4, &last, sizeof last), nullptr);
        test.ran(gp_buffer_copy(first, 0, second, 0, bytes), nullptr);
        test.ran(gp_buffer_read(second, 0, bytes + 4, out.data()), nullptr);
        auto expected = in;
        expected.push_back(last);
        test.compare(expected, out, "write, fill, copy, read", n);
    }
}

// Three steps on an odd offset, each waiting for the one before: upload, scan, sort descending.
void enqueued(Selftest &test) {
    constexpr size_t kOffset = 3;
    for (const auto n : test.sizes()) {
        const auto bytes = (n + 2 * kOffset) * sizeof(uint32_t);
        const auto in = counting(n + 2 * kOffset);
        auto out = in;
        const Buffer buffer(test.context, bytes);
        Event written, scanned, sorted, read;
        gp_event *waits[3] = {};
        test.ran(gp_enqueue_write(buffer, 0, bytes, in.data(), 0, nullptr, written.out()), nullptr);
        waits[0] = written.get();
        test.ran(gp_enqueue_scan(test.context, GP_UINT32, n, buffer, kOffset, buffer, kOffset, nullptr, 1, &waits[0],
                                 scanned.out()),
                 nullptr);
        waits[1] = scanned.get();
        gp_sort_options o = GP_SORT_OPTIONS_INIT;
        o.order = GP_DESCENDING;
        test.ran(gp_enqueue_sort(test.context, GP_UINT32, n, buffer, kOffset, &o, 1, &waits[1], sorted.out()), nullptr);
        waits[2] = sorted.get();
        test.ran(gp_enqueue_read(buffer, 0, bytes, out.data(), 1, &waits[2], read.out()), nullptr);
        test.ran(gp_event_wait(read.get()), nullptr);
        auto expected = in;
        const auto begin = expected.begin() + kOffset, end = expected.end() - kOffset;
        std::partial_sum(begin, end, begin);
        std::sort(begin, end, std::greater<>());
        test.compare(expected, out, "write, scan, sort, read at offset 3", n);
    }
}

void own_kernel(Selftest &test) {
    constexpr char kSource[] = "kernel void twice(global uint *x, uint add) {\n"
                               "    size_t i = get_global_id(0);\n"
                               "    x[i] = 2 * x[i] + add;\n"
                               "}\n";
    gp_kernel *kernel = nullptr;
    test.ran(gp_kernel_build(test.context, kSource, nullptr, "twice", &kernel), nullptr);
    const std::unique_ptr<gp_kernel, gp_status (*)(gp_kernel *)> owner(kernel, gp_kernel_free);
    for (const auto n : test.sizes()) {
        if (n == 0) continue;
        auto values = counting(n);
        const Buffer buffer(test.context, n * sizeof(uint32_t));
        test.ran(gp_buffer_write(buffer, 0, n * sizeof(uint32_t), values.data()), nullptr);
        const uint32_t add = 5;
        const gp_argument arguments[] = {{buffer, nullptr, 0}, {nullptr, &add, sizeof add}};
        test.ran(gp_enqueue_kernel(kernel, 1, &n, nullptr, 2, arguments, 0, nullptr, nullptr), nullptr);
        auto expected = values;
        for (auto &value : expected) value = 2 * value + add;
        test.ran(gp_buffer_read(buffer, 0, n * sizeof(uint32_t), values.data()), nullptr);
        test.compare(expected, values, "own kernel", n);
    }
}

} // namespace

void check_buffers(Selftest &test) {
    test.group("buffers", 0, [&](const char *) { copies(test); });
    test.group("enqueued scan and sort", 0, [&](const char *) { enqueued(test); });
    if (test.info.kind == GP_DEVICE_HOST)
        test.skip("own kernel", "host has no OpenCL C");
    else
        test.group("own kernel", 0, [&](const char *) { own_kernel(test); });
}

} // namespace command
