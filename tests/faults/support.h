// What the tests of failures share.
// SPDX-License-Identifier: MIT
#pragma once

#include "faults/denied.h"
#include "faults/faults.h"

#include <gpcl/gpcl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace {

constexpr size_t kN = 700;
constexpr size_t kBytes = kN * sizeof(int32_t);
constexpr long kMost = 5000; // calls after which a sweep must have come to its end

// What the library said of the last call that failed in a case; giving handles back afterwards
// clears gp_error_message.
std::string said;

template <class F> gp_status noted(const F &call) {
    gp_status status = GP_SUCCESS;
    {
        const denied::InCall here;
        status = call();
    }
    if (status != GP_SUCCESS) said = gp_error_message();
    return status;
}
#define NOTED(call) noted([&] { return call; })

// Goes back from the function with the status of a call that fails.
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const gp_status try_status = NOTED(call);                                                                      \
        if (try_status != GP_SUCCESS) return try_status;                                                               \
    } while (false)

std::vector<int32_t> input(size_t n = kN) {
    std::vector<int32_t> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<int32_t>((i * 7919) % 1009) - 500;
    return values;
}
[[maybe_unused]] std::vector<int32_t> sorted() {
    std::vector<int32_t> values = input();
    std::sort(values.begin(), values.end());
    return values;
}
std::vector<int32_t> summed(std::vector<int32_t> values) {
    std::partial_sum(values.begin(), values.end(), values.begin(), [](int32_t a, int32_t b) {
        return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    });
    return values;
}

// Frees what it holds, whatever happened.
template <class Handle, gp_status (*Free)(Handle *)> struct Owned {
    Handle *handle = nullptr;
    Owned() = default;
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned() {
        const denied::InCall here;
        Free(handle);
    }
};
using Buffer = Owned<gp_buffer, gp_buffer_free>;
using Event = Owned<gp_event, gp_event_free>;
using Kernel = Owned<gp_kernel, gp_kernel_free>;
using Context = Owned<gp_context, gp_close>;

struct Case {
    const char *name;
    gp_status (*run)(gp_context *);
    bool staged = false;
};
[[maybe_unused]] void PrintTo(const Case &tested, std::ostream *stream) { *stream << tested.name; }

// The main() of such tests: the loader takes the layer, or they are skipped where they need it.
int run_with_layer(int argc, char **argv, bool needs_it = true) {
    setenv("OPENCL_LAYERS", FAULTS_LAYER, 1); // before the loader starts
    testing::InitGoogleTest(&argc, argv);
    size_t count = 0;
    if (needs_it && (gp_devices(&count) != GP_SUCCESS || faults_calls() == 0)) {
        std::puts("skipped: this OpenCL loader takes no layers");
        return 77;
    }
    return RUN_ALL_TESTS();
}

} // namespace
