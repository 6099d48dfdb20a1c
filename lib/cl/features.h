// What a device can do, as far as kernels and the choice of algorithms ask.
//
// The device's own answers come first; then one table of architectures, in which an unknown newer
// one counts as the newest that is known.
//
// GPCL_FEATURES, for tests, forces one form of the kernels: "portable" (local memory and barriers),
// "sub-groups" (OpenCL's sub-groups) or an NVIDIA level such as "ptx80". With the first two, needs
// count as met where kernels/device/ emulates what the device lacks. An algorithm that would copy
// ahead with emulated copies runs when it is named only, since those copies make nothing faster.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/feature.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gpcl::cl {

// A device's own answers.
struct DeviceFacts {
    std::string_view name, vendor, extensions;
    unsigned nvidia_major = 0, nvidia_minor = 0; // its compute capability; 0: no NVIDIA GPU
    size_t sub_group = 0;   // the widest sub-group of 32 or 64 that a kernel can require, or that all have; 0: none
    size_t local_bytes = 0; // CL_DEVICE_LOCAL_MEM_SIZE
};

struct Features {
    static constexpr FeatureSet kCheaplyEmulated = kForwardProgress | kShuffle;

    FeatureSet has = 0;
    FeatureSet emulated = 0; // those of `has` that the device lacks
    unsigned ptx = 0;        // the level of NVIDIA's instructions: 70, 80, 90, 120; 0: none
    bool sub_groups = false; // kernels take OpenCL's sub-groups
    bool is_forced = false;  // portable forms, or sub-groups, stand in for what the device lacks
    size_t local_bytes = 0;  // of arrays whose size is in the kernel, which may be more than the device says

    bool all(FeatureSet needs) const { return (needs & ~has) == 0; }
    // Are all there, and pay? Emulated copies do not, nor do emulated matrix units.
    bool pay(FeatureSet needs) const { return all(needs) && (needs & emulated & ~kCheaplyEmulated) == 0; }
    bool shuffles_in_local_memory() const { return ptx == 0 && !sub_groups; }
    // How often a work-item looks for what another work-group will publish, before it finds it
    // itself: some ten milliseconds; where work-groups may run one after the other, waiting is of
    // no use.
    unsigned spin_limit() const;
    // Which form of kernels/device/ a program takes: options for its compiler, with a blank before
    // each.
    std::string options() const;
};

// `form`: what GPCL_FEATURES says; empty: what the device has. Throws GP_ERROR_OPTION for an
// unknown one.
Features features_of(const DeviceFacts &facts, std::string_view form);

} // namespace gpcl::cl
