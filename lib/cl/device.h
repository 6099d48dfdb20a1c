// The devices there are, and the choice of one by a selector.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/features.h"
#include "cl/opencl.h"

#include <array>
#include <vector>

namespace gpcl::cl {

struct Device {
    cl_platform_id platform = nullptr; // both NULL on "host"
    cl_device_id id = nullptr;
    gp_device_info info{};
    Features features;
    // The largest two-dimensional image, width and height; 0 where there are none.
    std::array<size_t, 2> image_limits{};
    bool out_of_order = false;    // no queue of it runs in order
    bool host_may_serve = true;   // in calls on host pointers, where it is the host's own CPU
    bool takes_functions = false; // of the host's: native kernels
    bool may_unroll = true;       // loops on request; false: its compiler then leaves out conditions
    std::string options;          // that programs of gpcl's own are built with: what they must not use
};

// All OpenCL devices by platform, then "host".
std::vector<Device> list_devices();

// The selector of the better place for each call, and of the device that "auto" opens.
inline constexpr const char *kAuto = "auto";

// The devices that gp_open's selector means: one, or several of one kind. That of "auto" is one,
// and has the selector "auto", unless it is "host". Throws GP_ERROR_NO_DEVICE with the list of
// those there are, and GP_ERROR_OPTION where several don't go together.
std::vector<Device> select_devices(const char *selector);
// The first of them.
Device select_device(const char *selector);

// Describes one OpenCL device.
Device describe(cl_platform_id platform, cl_device_id id);

} // namespace gpcl::cl
