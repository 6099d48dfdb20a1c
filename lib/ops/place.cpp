// Samples, and the measurement of an operation's places.
// SPDX-License-Identifier: MIT
#include "ops/place.h"

#include "place/model.h"

namespace gpcl {

void *sorted_values(place::Sample &sample, gp_dtype dtype, size_t count) {
    void *const values = sample.values(dtype, count);
    const place::Trial on_host(place::Side::kHost);
    // Halves that are positive stand in the order of their bits.
    gp_sort(sample.context, dtype == GP_FLOAT16 ? gp_dtype{GP_UINT16} : dtype, count, values, nullptr);
    return values;
}

std::shared_ptr<cl::Context> placed_on_device(gp_context *context, const place::Kind &kind, size_t work) {
    auto device = cl::present(context);
    place::last_call = {context, kind.name};
    if (!device->host() && !device->host_serves()) return device;
    const place::Only only{place::Side::kDevice, "the host can't run OpenCL C"};
    return place::choose(context, device, kind, GP_UINT8, {real(work), {}, {}}, only);
}

} // namespace gpcl

using namespace gpcl;

gp_status gp_places_measure(gp_context *context, gp_operation operation, gp_dtype dtype) {
    return guard("gp_places_measure", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Operation &one = gpcl::operation(operation);
        require(find_dtype(dtype) != nullptr, GP_ERROR_DTYPE, "dtype is ", dtype, "; expected a gp_dtype");
        require(device->host() != nullptr, GP_ERROR_UNSUPPORTED_DEVICE,
                "the context was not opened by \"auto\"; there is one place, ", device->info().name);
        for (const place::Kind *kind : one.kinds) place::Model::of(*device).measure(context, device, *kind, dtype);
    });
}
