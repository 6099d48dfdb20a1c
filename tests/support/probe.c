/* Lists the OpenCL devices as "platform: device"; with an argument, succeeds when it occurs in one
 * of these lines.
 *
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32 };

int main(int argc, char **argv) {
    cl_platform_id platforms[MOST];
    cl_uint platform_count = 0;
    int found = 0;
    cl_uint p, d;
    if (clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS) platform_count = 0;
    for (p = 0; p < platform_count && p < MOST; ++p) {
        cl_device_id devices[MOST];
        cl_uint device_count = 0;
        char platform[256] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != CL_SUCCESS) continue;
        for (d = 0; d < device_count && d < MOST; ++d) {
            char device[256] = "";
            char line[600];
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof device - 1, device, NULL);
            snprintf(line, sizeof line, "%s: %s", platform, device);
            if (argc < 2) puts(line);
            if (argc >= 2 && strstr(line, argv[1]) != NULL) found = 1;
        }
    }
    return argc < 2 || found ? 0 : 1;
}
