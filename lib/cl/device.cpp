// Lists, describes and selects devices.
// SPDX-License-Identifier: MIT
#include "cl/device.h"

#include "cl/limits.h"
#include "cl/link.h"
#include "core/files.h"
#include "core/options.h"
#include "core/system.h"

#include <array>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>

namespace gpcl::cl {
namespace {

template <size_t N> void put(char (&to)[N], const std::string &from) {
    const size_t length = std::min(from.size(), N - 1);
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

std::string device_text(cl_device_id id, cl_device_info what) {
    return query_text([&](size_t n, void *to, size_t *size) { return api().GetDeviceInfo(id, what, n, to, size); });
}

std::string platform_text(cl_platform_id id, cl_platform_info what) {
    return query_text([&](size_t n, void *to, size_t *size) { return api().GetPlatformInfo(id, what, n, to, size); });
}

template <class T> T device_value(cl_device_id id, cl_device_info what) {
    T value{};
    api().GetDeviceInfo(id, what, sizeof value, &value, nullptr);
    return value;
}

gp_device_kind kind_of(cl_device_type type) {
    // Simulators claim to be everything at once; they run like a CPU.
    if ((type & CL_DEVICE_TYPE_CPU) != 0) return GP_DEVICE_CPU;
    if ((type & CL_DEVICE_TYPE_GPU) != 0) return GP_DEVICE_GPU;
    return GP_DEVICE_ACCELERATOR;
}

// Letters of ASCII, in every locale.
bool same_letter(char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(a) == lower(b);
}

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

bool contains(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

bool is_pocl_on_cpu(cl_device_id id, const gp_device_info &info) {
    return (device_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0 &&
           contains(info.platform, "Portable Computing Language");
}

// The widest sub-group of 32 or 64 that kernels can require, or that all have; 0: none. PoCL's on a
// CPU do not count: they wait for the whole work-group, so results are wrong where only some take a
// branch.
size_t sub_group_of(cl_device_id id, const gp_device_info &info, const std::string &extensions) {
    if (is_pocl_on_cpu(id, info)) return 0;
    if (contains(extensions, "cl_intel_required_subgroup_size")) {
        constexpr cl_device_info kSizes = 0x4108; // CL_DEVICE_SUB_GROUP_SIZES_INTEL
        std::array<size_t, 16> sizes{};
        api().GetDeviceInfo(id, kSizes, sizeof sizes, sizes.data(), nullptr);
        return std::find(sizes.begin(), sizes.end(), size_t{32}) != sizes.end() ? 32 : 0;
    }
    constexpr cl_device_info kWavefront = 0x4043; // CL_DEVICE_WAVEFRONT_WIDTH_AMD
    return contains(extensions, "cl_amd_device_attribute_query") ? device_value<cl_uint>(id, kWavefront) : 0;
}

Features query_features(cl_device_id id, const gp_device_info &info, const std::string &extensions,
                        const Limits &limits) {
    DeviceFacts facts;
    facts.name = info.name;
    facts.vendor = info.vendor;
    facts.extensions = extensions;
    facts.local_bytes = info.local_bytes;
    facts.sub_group = limits.sub_group.value_or(sub_group_of(id, info, extensions));
    if (contains(extensions, "cl_nv_device_attribute_query")) {
        constexpr cl_device_info kMajor = 0x4000, kMinor = 0x4001; // CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, _MINOR_NV
        facts.nvidia_major = device_value<cl_uint>(id, kMajor);
        facts.nvidia_minor = device_value<cl_uint>(id, kMinor);
    }
    const char *form = variable("GPCL_FEATURES");
    Features features = features_of(facts, form != nullptr ? form : "");
    features.local_bytes = std::min(features.local_bytes, limits.local);
    if (limits.no_forward_progress) features.has &= ~FeatureSet{kForwardProgress};
    return features;
}

Device host_device() {
    Device device;
    gp_device_info &info = device.info;
    info.kind = GP_DEVICE_HOST;
    info.platform_index = -1;
    info.compute_units = std::max(1U, std::thread::hardware_concurrency());
    info.global_bytes = memory_bytes();
    info.allocation_bytes = info.global_bytes;
    info.work_group_size = 1;
    info.has_float64 = 1;
    info.has_unified_memory = 1;
    put(info.selector, "host");
    put(info.name, "host");
    put(info.platform, "gpcl");
    put(info.platform_version, GPCL_VERSION);
    return device;
}

// Sorts devices from best to worst; the first of equals wins.
auto rank(const Device &device) {
    const auto &info = device.info;
    const int kind = info.kind == GP_DEVICE_GPU           ? 3
                     : info.kind == GP_DEVICE_ACCELERATOR ? 2
                     : info.kind == GP_DEVICE_CPU         ? 1
                                                          : 0;
    return std::tuple(kind, info.has_float64, uint64_t{info.compute_units} * info.clock_mhz);
}

const Device *best(const std::vector<Device> &devices, gp_device_kind kind) {
    const Device *result = nullptr;
    for (const Device &device : devices) {
        const bool fits = kind == 0 || device.info.kind == kind;
        if (fits && (result == nullptr || rank(device) > rank(*result))) result = &device;
    }
    return result;
}

// What a platform's version says beside "OpenCL 3.0".
std::string_view own_version(const gp_device_info &info) {
    const std::string_view version = info.platform_version;
    const size_t name = version.find(' '), number = version.find(' ', name == version.npos ? name : name + 1);
    return number == version.npos ? std::string_view() : version.substr(number + 1);
}

// The kind that a selector names; 0: none.
gp_device_kind kind_named(std::string_view selector) {
    if (same_letters(selector, "gpu")) return GP_DEVICE_GPU;
    if (same_letters(selector, "cpu")) return GP_DEVICE_CPU;
    return same_letters(selector, "accelerator") ? GP_DEVICE_ACCELERATOR : 0;
}

// All OpenCL devices in whose own or platform's name the text occurs, else those in whose
// platform's version it does: some have their usual name there alone, such as PoCL.
std::vector<Device> all_named(const std::vector<Device> &devices, std::string_view part) {
    std::vector<Device> result;
    const auto take = [&](auto &&is_named) {
        if (!result.empty()) return;
        std::copy_if(devices.begin(), devices.end(), std::back_inserter(result),
                     [&](const Device &device) { return device.id != nullptr && is_named(device.info); });
    };
    take([&](const gp_device_info &info) { return contains(info.name, part) || contains(info.platform, part); });
    take([&](const gp_device_info &info) { return contains(own_version(info), part); });
    return result;
}

std::optional<Device> find(const std::vector<Device> &devices, const std::string &selector) {
    const gp_device_kind kind = kind_named(selector);
    if (selector.empty() || kind != 0) {
        const Device *found = best(devices, kind);
        return found != nullptr ? std::optional(*found) : std::nullopt;
    }
    for (const Device &device : devices) {
        if (selector == device.info.selector) return device;
    }
    if (selector.find_first_not_of("0123456789:") == std::string::npos) return std::nullopt; // an index
    const auto named = all_named(devices, selector);
    return named.empty() ? std::nullopt : std::optional(named.front());
}

// "0:0,0:1" or "gpu*"; empty where it is neither, or one of its parts names no device.
std::vector<Device> find_several(const std::vector<Device> &devices, const std::string &selector) {
    std::vector<Device> result;
    if (selector.size() > 1 && selector.back() == '*') {
        const std::string_view named(selector.data(), selector.size() - 1);
        gp_device_kind kind = kind_named(named);
        result = kind == 0 ? all_named(devices, named) : devices;
        if (kind == 0 && !result.empty()) kind = result.front().info.kind;
        std::erase_if(result, [&](const Device &device) { return device.info.kind != kind; });
        return result;
    }
    if (selector.find(',') == std::string::npos) return {};
    for (size_t begin = 0; begin <= selector.size();) {
        const size_t end = std::min(selector.find(',', begin), selector.size());
        const size_t first = std::min(selector.find_first_not_of(' ', begin), end);
        const size_t last = selector.find_last_not_of(' ', end - 1);
        const auto found = first < end ? find(devices, selector.substr(first, last + 1 - first)) : std::nullopt;
        if (!found) return {};
        result.push_back(*found);
        begin = end + 1;
    }
    return result;
}

void require_alike(const std::vector<Device> &several, const std::string &selector) {
    for (size_t i = 0; i < several.size(); ++i) {
        const gp_device_info &info = several[i].info;
        const auto refuse = [&](bool wrong, const char *why) {
            require(!wrong, GP_ERROR_OPTION, "device \"", selector, "\" names ", info.selector, " (", info.name, "), ",
                    why, "; expected OpenCL devices of one kind, each once");
        };
        refuse(several[i].id == nullptr, "which is none of OpenCL's");
        refuse(info.kind != several.front().info.kind, "which is of another kind than the first");
        for (size_t j = 0; j < i; ++j) refuse(several[i].id == several[j].id, "which comes twice");
    }
}

} // namespace

Device describe(cl_platform_id platform, cl_device_id id) {
    Device device;
    device.platform = platform;
    device.id = id;
    gp_device_info &info = device.info;
    info.kind = kind_of(device_value<cl_device_type>(id, CL_DEVICE_TYPE));
    info.platform_index = -1;
    info.compute_units = std::max(1U, device_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
    info.clock_mhz = device_value<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info.vector_float = device_value<cl_uint>(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    info.global_bytes = device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info.allocation_bytes = device_value<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info.local_bytes = device_value<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
    info.cache_bytes = device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info.work_group_size = std::max(size_t{1}, device_value<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    const char *given = variable("GPCL_LIMITS");
    const Limits limits = read_limits(given != nullptr ? given : "");
    if (limits.gpu) info.kind = GP_DEVICE_GPU;
    info.work_group_size = std::min(info.work_group_size, limits.work_group);
    info.local_bytes = std::min<uint64_t>(info.local_bytes, limits.local);
    info.allocation_bytes = std::min<uint64_t>(info.allocation_bytes, limits.buffer);
    const auto queues = device_value<cl_command_queue_properties>(id, CL_DEVICE_QUEUE_PROPERTIES);
    device.out_of_order = limits.out_of_order && (queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    device.host_may_serve = !limits.no_host;
    const auto executes = device_value<cl_device_exec_capabilities>(id, CL_DEVICE_EXECUTION_CAPABILITIES);
    device.takes_functions = (executes & CL_EXEC_NATIVE_KERNEL) != 0;
    if (limits.no_int64_atomics) device.options += "-DGP_NO_INT64_ATOMICS ";
    if (limits.no_optimiser) device.options += "-cl-opt-disable ";
    const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    info.has_float64 = contains(extensions, "cl_khr_fp64") && !limits.no_float64 ? 1 : 0;
    info.has_float16 = contains(extensions, "cl_khr_fp16") ? 1 : 0;
    info.has_images = device_value<cl_bool>(id, CL_DEVICE_IMAGE_SUPPORT) != CL_FALSE && !limits.no_images ? 1 : 0;
    if (info.has_images != 0)
        device.image_limits = {device_value<size_t>(id, CL_DEVICE_IMAGE2D_MAX_WIDTH),
                               device_value<size_t>(id, CL_DEVICE_IMAGE2D_MAX_HEIGHT)};
    // The device of another host says whether it shares the memory of that one.
    const bool is_remote = contains(device_text(id, CL_DEVICE_VERSION), "pocl-remote");
    info.has_unified_memory =
        device_value<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE && !is_remote ? 1 : 0;
    put(info.name, text(device_text(id, CL_DEVICE_NAME), is_remote ? kRemote : ""));
    put(info.vendor, device_text(id, CL_DEVICE_VENDOR));
    put(info.driver, device_text(id, CL_DRIVER_VERSION));
    put(info.opencl_c, device_text(id, CL_DEVICE_OPENCL_C_VERSION));
    put(info.platform, platform_text(platform, CL_PLATFORM_NAME));
    put(info.platform_version, platform_text(platform, CL_PLATFORM_VERSION));
    // PoCL 6.0 leaves out the condition of a store in a loop that is to be unrolled, where the loop
    // follows a barrier which looks as if only some work-items came to it. PoCL 3.1 does not.
    device.may_unroll = !is_pocl_on_cpu(id, info) || contains(own_version(info), "PoCL 3.");
    device.features = query_features(id, info, extensions, limits);
    return device;
}

std::vector<Device> list_devices() {
    // Some drivers set themselves up in the first of these calls, and not all of them let two
    // threads do so at once.
    static auto *mutex = new std::mutex;
    const std::lock_guard lock(*mutex);
    std::vector<Device> devices;
    cl_uint platform_count = 0;
    if (api().present && api().GetPlatformIDs(0, nullptr, &platform_count) == CL_SUCCESS && platform_count > 0) {
        std::vector<cl_platform_id> platforms(platform_count);
        if (api().GetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS) platform_count = 0;
        for (cl_uint p = 0; p < platform_count; ++p) {
            cl_uint count = 0;
            if (api().GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
            std::vector<cl_device_id> ids(count);
            // A platform that fails is as good as absent: the others still serve.
            if (api().GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS)
                continue;
            for (cl_uint d = 0; d < count; ++d) {
                const bool usable = device_value<cl_bool>(ids[d], CL_DEVICE_AVAILABLE) != CL_FALSE &&
                                    device_value<cl_bool>(ids[d], CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
                if (!usable) continue;
                Device device = describe(platforms[p], ids[d]);
                device.info.platform_index = static_cast<int32_t>(p);
                device.info.device_index = static_cast<int32_t>(d);
                put(device.info.selector, text(p, ":", d));
                devices.push_back(device);
            }
        }
    }
    devices.push_back(host_device());
    return devices;
}

std::vector<Device> select_devices(const char *selector) {
    std::string wanted = selector != nullptr ? selector : "";
    const char *from = "device";
    const char *const device_variable = variable("GPCL_DEVICE");
    if (wanted.empty() && device_variable != nullptr) {
        wanted = device_variable;
        from = "GPCL_DEVICE";
    }
    const bool is_auto = same_letters(wanted, kAuto);
    if (is_auto) {
        wanted = device_variable != nullptr && !same_letters(device_variable, kAuto) ? device_variable : "";
        from = "GPCL_DEVICE";
    }
    if (same_letters(wanted, "host")) return {host_device()}; // without a look at OpenCL
    const std::vector<Device> devices = list_devices();
    const auto one = find(devices, wanted);
    std::vector<Device> found = one ? std::vector{*one} : find_several(devices, wanted);
    if (is_auto && !found.empty()) {
        found.resize(1);
        if (found.front().id != nullptr) put(found.front().info.selector, kAuto);
    }
    if (found.size() > 1) require_alike(found, wanted);
    if (!found.empty()) return found;
    std::string there;
    for (const Device &device : devices) {
        there += text(there.empty() ? "" : "; ", device.info.selector);
        if (device.id != nullptr) there += text(" ", device.info.name, " (", device.info.platform, ")");
    }
    if (!api().present) there += text(" (no OpenCL loader: ", api().trouble, ")");
    fail(GP_ERROR_NO_DEVICE, from, " \"", wanted, "\" matches no device; there are: ", there);
}

Device select_device(const char *selector) { return select_devices(selector).front(); }

} // namespace gpcl::cl

using namespace gpcl;

gp_status gp_devices(size_t *count) {
    return guard("gp_devices", [&] {
        require_pointer(count, "count");
        *count = cl::list_devices().size();
    });
}

gp_status gp_device_describe(size_t index, gp_device_info *info) {
    return guard("gp_device_describe", [&] {
        require_pointer(info, "info");
        const auto devices = cl::list_devices();
        require(index < devices.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ", devices.size());
        write_info(info, devices[index].info, "info");
    });
}
