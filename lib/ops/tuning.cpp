// Parameters: their look-up and their C entry points.
// SPDX-License-Identifier: MIT
#include "ops/tuning.h"

#include "cl/members.h"
#include "core/options.h"
#include "ops/operation.h"

namespace gpcl {
namespace {

bool allows(const Parameter &parameter, size_t value) {
    return std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end();
}

TuningKey key_of(const Parameter &parameter, gp_dtype dtype) {
    return {operation(parameter.operation).name, dtype, parameter.algorithm, parameter.name};
}

void require_type(gp_dtype dtype) {
    require(find_dtype(dtype) != nullptr, GP_ERROR_DTYPE, "dtype is ", dtype, "; expected a gp_dtype");
}

} // namespace

size_t preset(const cl::Context &context, gp_dtype dtype, const Parameter &parameter) {
    const std::string_view name = context.info().name, vendor = context.info().vendor;
    for (const Preset &one : parameter.presets) {
        if (one.dtype != 0 && one.dtype != dtype) continue;
        if (name.find(one.device) != std::string_view::npos || vendor.find(one.device) != std::string_view::npos)
            return one.value;
    }
    return parameter.computed(context, dtype);
}

size_t find_tuned(const cl::Context &context, gp_dtype dtype, const Parameter &parameter) {
    return context.find_tuned(parameter.slot, key_of(parameter, dtype), parameter.values,
                              preset(context, dtype, parameter));
}

} // namespace gpcl

using namespace gpcl;

gp_status gp_parameters(gp_operation operation, size_t *count) {
    return guard("gp_parameters", [&] {
        require_pointer(count, "count");
        *count = gpcl::operation(operation).parameters().size();
    });
}

gp_status gp_parameter_describe(gp_context *context, gp_operation operation, gp_dtype dtype, size_t index,
                                gp_parameter_info *info) {
    return guard("gp_parameter_describe", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto parameters = gpcl::operation(operation).parameters();
        require_type(dtype);
        require_pointer(info, "info");
        require(index < parameters.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ",
                parameters.size());
        const Parameter &one = *parameters[index];
        gp_parameter_info described{};
        described.algorithm = one.algorithm;
        described.name = one.name;
        described.summary = one.summary;
        described.value = tuned(*device, dtype, one);
        described.preset = preset(*device, dtype, one);
        described.value_count = one.values.size();
        std::copy(one.values.begin(), one.values.end(), described.values);
        write_info(info, described, "info");
    });
}

gp_status gp_parameter_set(gp_context *context, gp_operation operation, gp_dtype dtype, const char *algorithm,
                           const char *name, size_t value) {
    return guard("gp_parameter_set", [&] {
        cl::contexts().get(context, "context");
        require_pointer(algorithm, "algorithm");
        require_pointer(name, "name");
        require_type(dtype);
        const auto parameters = gpcl::operation(operation).parameters();
        const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter *each) {
            return std::string_view(algorithm) == each->algorithm && std::string_view(name) == each->name;
        });
        require(found != parameters.end(), GP_ERROR_OPTION, "algorithm \"", algorithm, "\" has no parameter \"", name,
                "\"; gp_parameter_describe lists those there are");
        const Parameter &one = **found;
        if (value != 0 && !allows(one, value)) {
            std::string values;
            for (const size_t each : one.values) values += text(values.empty() ? "" : ", ", each);
            fail(GP_ERROR_OPTION, name, " is ", value, "; expected one of ", values);
        }
        cl::for_each_device(context, [&](cl::Context &device) { device.tune(key_of(one, dtype), value); });
    });
}

const char *gp_tuning_file(void) {
    thread_local std::string file;
    try {
        file = tuning_file();
    } catch (...) {
        return "";
    }
    return file.c_str();
}

gp_status gp_tuning_save(gp_context *context, const char *file) {
    return guard("gp_tuning_save", [&] {
        cl::contexts().get(context, "context")->save_tuning(file != nullptr ? std::string(file) : tuning_file());
    });
}
