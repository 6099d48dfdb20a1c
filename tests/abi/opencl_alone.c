/* The header for OpenCL programs must stand on its own.
 *
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <gpcl/opencl.h>

gp_status (*const use_open)(cl_context, cl_device_id, cl_command_queue, gp_context **) = gp_open_opencl;
