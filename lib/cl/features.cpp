// The table of architectures.
// SPDX-License-Identifier: MIT
#include "cl/features.h"

#include "core/error.h"

#include <array>
#include <charconv>

namespace gpcl::cl {
namespace {

constexpr FeatureSet kEmulated = kForwardProgress | kShuffle | kAsyncCopy | kBulkCopy | kWarpGroups;

// An NVIDIA architecture. Local memory: NVIDIA, "CUDA C++ Programming Guide", technical
// specifications per compute capability, the most for a block; the driver's 48 KiB leave out what
// it gives arrays whose size is in the kernel.
struct Architecture {
    unsigned major, minor; // the least
    unsigned ptx;
    size_t local_kib;
    FeatureSet own = 0; // what newer ones don't have
};

constexpr std::array kArchitectures = {
    // the newest first; data-centre GPUs of 10 and 11 are as Hopper, without what is its own
    Architecture{12, 0, 120, 99}, Architecture{10, 0, 90, 227}, Architecture{9, 0, 90, 227, kWarpGroups},
    Architecture{8, 9, 80, 99},   Architecture{8, 8, 80, 48},   Architecture{8, 7, 80, 163},
    Architecture{8, 6, 80, 99},   Architecture{8, 0, 80, 163},  Architecture{7, 5, 70, 64},
    Architecture{7, 1, 70, 48},   Architecture{7, 0, 70, 96},
};

FeatureSet has_at(unsigned ptx) {
    FeatureSet has = 0;
    if (ptx >= 70) has |= kForwardProgress | kShuffle;
    if (ptx >= 80) has |= kAsyncCopy;
    if (ptx >= 90) has |= kBulkCopy | kMatrixUnits;
    return has;
}

// "ptx80" is 80; 0: no level that the table has.
unsigned level_of(std::string_view form) {
    constexpr std::string_view kPrefix = "ptx";
    unsigned level = 0;
    if (form.substr(0, kPrefix.size()) == kPrefix)
        std::from_chars(form.data() + kPrefix.size(), form.data() + form.size(), level);
    for (const Architecture &one : kArchitectures)
        if (one.ptx == level) return level;
    return 0;
}

// The number behind "gfx" in the name of an AMD GPU, less its last two digits: 9 for gfx90a, 10 for
// gfx1030; 0: none.
unsigned gfx_of(std::string_view name) {
    const size_t at = name.find("gfx");
    if (at == std::string_view::npos) return 0;
    const std::string_view number = name.substr(at + 3);
    const size_t length = std::min(number.find_first_not_of("0123456789abcdef"), number.size());
    unsigned major = 0;
    if (length > 2) std::from_chars(number.data(), number.data() + length - 2, major);
    return major;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Features of_nvidia(const DeviceFacts &facts) {
    Features features;
    features.local_bytes = facts.local_bytes;
    for (const Architecture &one : kArchitectures) {
        if (facts.nvidia_major < one.major || (facts.nvidia_major == one.major && facts.nvidia_minor < one.minor))
            continue;
        features.ptx = one.ptx;
        features.local_bytes = std::max(facts.local_bytes, one.local_kib << 10);
        features.has = has_at(one.ptx) | one.own;
        break;
    }
    return features;
}

Features of_others(const DeviceFacts &facts) {
    Features features;
    features.local_bytes = facts.local_bytes;
    features.sub_groups = (facts.sub_group == 32 || facts.sub_group == 64) &&
                          contains(facts.extensions, "cl_khr_subgroup_shuffle") &&
                          contains(facts.extensions, "cl_khr_subgroup_ballot");
    if (features.sub_groups) features.has |= kShuffle;
    constexpr unsigned kSideBySide = 8; // GCN 3
    if (contains(facts.vendor, "Advanced Micro Devices") && gfx_of(facts.name) >= kSideBySide)
        features.has |= kForwardProgress;
    return features;
}

// Do the device's work-groups go on side by side?
bool go_on(const Features &features) { return (features.has & ~features.emulated & kForwardProgress) != 0; }

} // namespace

unsigned Features::spin_limit() const { return go_on(*this) ? 100'000 : 100; }

std::string Features::options() const {
    if (ptx != 0) return text(" -DGP_PTX=", ptx);
    return text(go_on(*this) ? " -DGP_PEEKS" : "", sub_groups ? " -DGP_SUB_GROUPS -cl-std=CL3.0" : "");
}

Features features_of(const DeviceFacts &facts, std::string_view form) {
    Features features = facts.nvidia_major > 0 ? of_nvidia(facts) : of_others(facts);
    if (form.empty()) return features;
    const unsigned level = level_of(form);
    require(level != 0 || form == "portable" || form == "sub-groups", GP_ERROR_OPTION, "GPCL_FEATURES is \"",
            std::string(form), "\"; expected portable, sub-groups, ptx70, ptx80, ptx90 or ptx120");
    if (level != 0) {
        if (level < features.ptx) { // none that the device does not know
            features.ptx = level;
            features.has = has_at(level);
        }
        return features;
    }
    features.ptx = 0;
    features.sub_groups = features.sub_groups && form == "sub-groups";
    // Work-groups go on side by side whichever form the kernels have.
    const FeatureSet own = features.sub_groups ? kForwardProgress | kShuffle : FeatureSet{kForwardProgress};
    features.emulated = kEmulated & ~(features.has & own);
    features.has = kEmulated;
    features.is_forced = true;
    features.local_bytes = facts.local_bytes;
    return features;
}

} // namespace gpcl::cl
