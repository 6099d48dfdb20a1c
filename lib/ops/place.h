// Where a call on host pointers runs: what its arguments and options say to lib/place.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/signature.h"
#include "core/dtype.h"
#include "ops/operation.h"
#include "place/deal.h"
#include "place/place.h"
#include "place/sample.h"

#include <bit>

namespace gpcl {

// Sizes are not checked yet.
inline double real(size_t number) { return static_cast<double>(number); }

// An array of so many elements; none where the pointer is NULL.
inline place::Array array(const void *at, size_t size, size_t count, size_t lines = 1) {
    return {at, at != nullptr ? real(size) * real(count) * real(lines) : 0};
}
inline place::Array array_of(const void *at, gp_dtype dtype, size_t count, size_t lines = 1) {
    const Dtype *const known = find_dtype(dtype);
    return array(at, known != nullptr ? known->size : 0, count, lines);
}

// Bytes that are only moved: the type of the largest words that elements of a size fall into, and
// how many words there are.
inline gp_dtype word_type(size_t element_size) {
    constexpr std::array kTypes = {GP_UINT8, GP_UINT16, GP_UINT32, GP_UINT64};
    return kTypes.at(static_cast<size_t>(std::countr_zero(element_size | 8)));
}
inline double words(size_t element_size) { return real(element_size / dtype(word_type(element_size)).size); }

// Ascending random values for a sample.
void *sorted_values(place::Sample &sample, gp_dtype dtype, size_t count);

// Elements from the first to the last one of a batch of rows, for each element of one row.
inline double spread(size_t n, size_t batch, size_t stride, size_t step) {
    const double rows = real(std::max(batch, size_t{1})), apart = real(std::max(step, size_t{1}));
    if (n == 0) return 0;
    return rows > 1 && stride != 0 ? (rows - 1) * real(stride) / real(n) + apart : rows * apart;
}

// Those texts are OpenCL C, which the host can't run.
template <class Options> bool has_text(const Options &options) {
    bool found = false;
    if constexpr (requires { options.operator_source; }) found |= options.operator_source != nullptr;
    if constexpr (requires { options.predicate; }) found |= options.predicate != nullptr;
    if constexpr (requires { options.finish_source; }) found |= options.finish_source != nullptr;
    if constexpr (requires { options.plus_source; })
        found |= options.plus_source != nullptr || options.times_source != nullptr;
    return found;
}

// The side that the options leave.
template <class Options>
place::Only only_side(const cl::Context &device, const Operation &operation, const Options &options) {
    using place::Side;
    if (has_text(options)) return {Side::kDevice, "the host can't run OpenCL C"};
    if constexpr (requires { options.work; })
        if (options.work != nullptr) return {Side::kDevice, "options->work is memory of the device"};
    if constexpr (requires { options.accumulator; })
        if (options.accumulator == GP_FLOAT64 && device.info().has_float64 == 0)
            return {Side::kHost, "the device can't compute float64"};
    if (options.algorithm == nullptr) return {};
    const auto all = operation.algorithms();
    const bool on_host = std::any_of(all.begin(), all.end(), [&](const AlgorithmInfo &one) {
        return one.on_host && one.is_named(options.algorithm);
    });
    return {on_host ? Side::kHost : Side::kDevice, "options->algorithm names one that runs there"};
}

// The context that a call on host pointers runs on: that of the handle, of several devices the
// first that is not lost; of one that "auto" opened its device or its host; the host for a device
// that is its own CPU, where it can do the call. `cost` is of one row:
// rows of a batch that the options tell of are reckoned in here, the arrays up, as those in step_in
// and stride_in, and down.
template <class Options> std::shared_ptr<cl::Context> placed(gp_context *context, const Operation &operation,
                                                             const place::Kind &kind, gp_dtype dtype, place::Cost cost,
                                                             const Options *given) {
    auto device = cl::present(context);
    place::last_call = {context, operation.name};
    if (!device->host() && !device->host_serves()) return device;
    const Options options = cl::known_options(given);
    const auto scale = [](std::array<place::Array, 4> &arrays, double factor) {
        for (place::Array &array : arrays) array.bytes *= factor;
    };
    if constexpr (requires { options.batch; }) {
        const double rows = real(std::max(options.batch, size_t{1}));
        double up = rows;
        if constexpr (requires { options.step_in; })
            up = spread(static_cast<size_t>(std::min(cost.work, 0x1p62)), options.batch, options.stride_in,
                        options.step_in);
        cost.work *= rows;
        scale(cost.up, up);
        scale(cost.down, rows);
    }
    return place::choose(context, device, kind, dtype, cost, only_side(*device, operation, options));
}

// The same of a call that is all OpenCL C.
std::shared_ptr<cl::Context> placed_on_device(gp_context *context, const place::Kind &kind, size_t work);

// May the host do a call that the device has no memory for?
template <class Options>
bool is_left_to_host(const cl::Context &device, const Operation &operation, const Options &options) {
    const place::Only only = only_side(device, operation, options);
    return only.why == nullptr || only.side == place::Side::kHost;
}

// Calls run(device); where the device has no memory for that, run of the host, unless the options
// leave the call to the device. `in_place`: a run may write to what it reads; then it is only
// called again where nothing of it ran.
template <class Options, class Run> void where_it_fits(const std::shared_ptr<cl::Context> &device,
                                                       const Operation &operation, const Options *given, bool in_place,
                                                       const Run &run) {
    if (device->is_host()) return run(device);
    try {
        return run(device);
    } catch (const Error &error) {
        if (error.status != GP_ERROR_TOO_LARGE && (in_place || error.status != GP_ERROR_DEVICE_MEMORY)) throw;
        if (!is_left_to_host(*device, operation, cl::known_options(given))) throw;
    }
    run(device->stand_in());
}
template <class Options, class Run> void where_it_fits(const std::shared_ptr<cl::Context> &device,
                                                       const Operation &operation, const Options *given,
                                                       const Run &run) {
    where_it_fits(device, operation, given, false, run);
}

} // namespace gpcl
