// gpcl info: version, OpenCL loader, devices with their limits, algorithms, program cache; for
// people or as JSON.
// SPDX-License-Identifier: MIT
#include "bench.h"
#include "commands.h"
#include "support.h"
#include "system.h"
#include "words.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>

namespace command {

namespace {

using nlohmann::ordered_json;

// Adds the file of the OpenCL loader that the library uses, or why it uses none, found as the
// library finds it.
void add_loader(ordered_json &all) {
    const char *named = std::getenv("GPCL_OPENCL_LIBRARY");
    std::string why;
    if (const std::string file = find_loader(named, why); !file.empty()) {
        all["loader"] = file;
        return;
    }
    all["loader"] = nullptr;
    all["loader_problem"] = (named ? "GPCL_OPENCL_LIBRARY: " : "") + why;
}

const char *kind_name(gp_device_kind kind) {
    switch (kind) {
    case GP_DEVICE_HOST: return "host";
    case GP_DEVICE_CPU: return "cpu";
    case GP_DEVICE_GPU: return "gpu";
    case GP_DEVICE_ACCELERATOR: return "accelerator";
    default: return "unknown";
    }
}

ordered_json describe(const gp_device_info &info) {
    return {{"selector", info.selector},
            {"name", info.name},
            {"kind", kind_name(info.kind)},
            {"vendor", info.vendor},
            {"driver", info.driver},
            {"opencl_c", info.opencl_c},
            {"platform", info.platform},
            {"platform_version", info.platform_version},
            {"platform_index", info.platform_index},
            {"device_index", info.device_index},
            {"compute_units", info.compute_units},
            {"clock_mhz", info.clock_mhz},
            {"vector_float", info.vector_float},
            {"global_bytes", info.global_bytes},
            {"allocation_bytes", info.allocation_bytes},
            {"local_bytes", info.local_bytes},
            {"cache_bytes", info.cache_bytes},
            {"work_group_size", info.work_group_size},
            {"float64", info.has_float64 != 0},
            {"float16", info.has_float16 != 0},
            {"images", info.has_images != 0},
            {"unified_memory", info.has_unified_memory != 0}};
}

ordered_json devices() {
    auto list = ordered_json::array();
    size_t count = 0;
    check(gp_devices(&count));
    for (size_t i = 0; i < count; ++i) {
        gp_device_info info{};
        info.struct_size = sizeof info;
        check(gp_device_describe(i, &info));
        list.push_back(describe(info));
    }
    return list;
}

// Those of a context.
ordered_json devices_of(gp_context *context) {
    auto list = ordered_json::array();
    size_t count = 0;
    check(gp_context_devices(context, &count));
    for (size_t i = 0; i < count; ++i) {
        gp_context *device = nullptr;
        check(gp_context_device(context, i, &device));
        gp_device_info info{};
        info.struct_size = sizeof info;
        check(gp_describe(device, &info));
        list.push_back(describe(info));
    }
    return list;
}

ordered_json algorithms() {
    auto all = ordered_json::object();
    for (const auto *operation : operations()) {
        auto list = ordered_json::array();
        for (const auto &each : algorithms_of(operation->code))
            list.push_back({{"name", each.name},
                            {"on", each.on_host ? "host" : "opencl"},
                            {"by_name", each.by_name != 0},
                            {"needs_proof", each.needs_proof != 0},
                            {"summary", each.summary},
                            {"source", each.source}});
        all[operation->name] = list;
    }
    return all;
}

// Algorithms that are known to be wrong on a device, and so are not chosen there.
ordered_json wrong_algorithms(gp_context *context) {
    auto list = ordered_json::array();
    for (const auto *operation : operations()) {
        const auto algorithms = algorithms_of(operation->code);
        for (size_t i = 0; i < algorithms.size(); ++i) {
            for (gp_dtype dtype = GP_INT8; algorithms[i].needs_proof != 0 && dtype <= GP_BFLOAT16; ++dtype) {
                if (gp_prove(context, operation->code, i, dtype, 0) != GP_ERROR_ALGORITHM_REFUSED) continue;
                list.push_back({{"operation", operation->name},
                                {"algorithm", algorithms[i].name},
                                {"dtype", gp_dtype_name(dtype)},
                                {"problem", gp_error_message()}});
            }
        }
    }
    return list;
}

// The variables that change what the library or the loader does, as far as they are set.
ordered_json environment() {
    auto set = ordered_json::object();
    for (const auto name :
         {"GPCL_DEVICE", "GPCL_DEVICE_MEMORY", "GPCL_CACHE", "GPCL_CACHE_DIR", "GPCL_DATA", "GPCL_DEAL",
          "GPCL_FEATURES", "GPCL_LIMITS", "GPCL_OPENCL_LIBRARY", "GPCL_PINNED_BYTES", "GPCL_PLACES", "GPCL_PROVE",
          "GPCL_STAGING", "GPCL_TUNING", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "RUSTICL_ENABLE"})
        if (const char *value = std::getenv(name)) set[name] = value;
    return set;
}

std::string bytes_text(uint64_t bytes) {
    const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.4g %s", value, units[unit]);
    return text;
}

void print_line(const char *name, const std::string &value) {
    print_wrapped(stdout, "  " + padded(name, 16) + " " + value + "\n");
}

void print_device(const ordered_json &device) {
    const auto text = [&](const char *key) { return device[key].get<std::string>(); };
    const auto number = [&](const char *key) { return device[key].get<uint64_t>(); };
    const auto count = [&](const char *key) { return std::to_string(number(key)); };
    std::printf("\nDevice %s: %s\n", text("selector").c_str(), text("name").c_str());
    print_line("kind", text("kind") + (text("vendor").empty() ? "" : ", " + text("vendor")));
    if (device["platform_index"] != -1) {
        print_line("platform", text("platform") + ", " + text("platform_version"));
        print_line("driver", text("driver") + ", " + text("opencl_c"));
    }
    const auto clock = number("clock_mhz");
    print_line("compute units", count("compute_units") + (clock ? " at up to " + std::to_string(clock) + " MHz" : ""));
    print_line("memory", bytes_text(number("global_bytes")) + ", largest buffer " +
                             bytes_text(number("allocation_bytes")) +
                             (device["unified_memory"] ? ", shared with the host" : ""));
    if (text("kind") != "host") {
        print_line("local memory", bytes_text(number("local_bytes")) + ", cache " + bytes_text(number("cache_bytes")));
        print_line("work-group", "up to " + count("work_group_size") + " work-items, vectors of " +
                                     count("vector_float") + " float32");
    }
    print_line("float64", device["float64"] ? "yes" : "no (sort takes it nevertheless)");
    print_line("float16", device["float16"] ? "yes" : "storage only (matmul takes it nevertheless)");
}

void print(const ordered_json &all, bool with_algorithms) {
    std::printf("gpcl %s\n", all["version"].get<std::string>().c_str());
    const auto text = [](const ordered_json &value) { return value.is_null() ? "none" : value.get<std::string>(); };
    print_line("OpenCL loader", all["loader"].is_null() ? "none: " + text(all["loader_problem"]) : text(all["loader"]));
    print_line("program cache", all["cache"].is_null() ? "off" : text(all["cache"]));
    if (!all["cache_problem"].is_null()) print_line("not used", text(all["cache_problem"]));
    print_line("model of auto", all["places"].is_null() ? "off" : text(all["places"]));
    print_line("default device", text(all["default"]));
    for (const auto &one : all["wrong_algorithms"]) print_line("not chosen", text(one["problem"]));
    for (const auto &[name, value] : all["environment"].items())
        print_line("environment", name + "=" + value.get<std::string>());
    for (const auto &device : all["devices"]) print_device(device);
    if (!with_algorithms) {
        std::printf("\nWith --algorithms: the algorithms of each operation, in order of preference.\n");
        return;
    }
    std::printf("\nAlgorithms, in order of preference; * runs when it is named only\n");
    for (const auto &[operation, list] : all["algorithms"].items())
        for (const auto &algorithm : list)
            print_wrapped(stdout, "  " + padded(operation, 18) + " " +
                                      padded(text(algorithm["name"]) + (algorithm["by_name"] ? " *" : ""), 27) + " " +
                                      padded(text(algorithm["on"]), 6) + "  " + text(algorithm["summary"]) + "\n");
}

ordered_json text_or_null(const std::string &text) { return text.empty() ? ordered_json() : ordered_json(text); }

} // namespace

int info(const InfoOptions &options) {
    ordered_json all;
    all["version"] = gp_version();
    all["devices"] = devices();
    add_loader(all);
    all["cache"] = text_or_null(gp_cache_folder());
    all["places"] = text_or_null(gp_places_file());
    all["cache_problem"] = text_or_null(gp_cache_problem());
    all["environment"] = environment();
    {
        const Context context(options.device);
        const auto opened = devices_of(context);
        std::string selectors;
        for (const auto &device : opened) {
            if (!selectors.empty()) selectors += ',';
            selectors += device["selector"].get<std::string>();
        }
        all["default"] = selectors;
        all["wrong_algorithms"] = wrong_algorithms(context);
        if (!options.device.empty()) all["devices"] = opened; // these alone
    }
    all["algorithms"] = algorithms();
    if (options.json)
        std::printf("%s\n", all.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
    else
        print(all, options.algorithms);
    return 0;
}

} // namespace command
