/* A program that uses OpenCL itself: gpcl sorts its cl_mem on its queue, between its own commands.
 *
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <gpcl/opencl.h>
#include <stdio.h>

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, gp_error_message());
    return 1;
}

int main(void) {
    int32_t keys[] = {5, 3, 9, 1};
    gp_context *first, *context;
    gp_buffer *buffer;
    cl_device_id device;
    cl_context opencl;
    cl_command_queue queue;
    cl_mem memory;
    cl_int error;

    /* Any device will do here: the one that gpcl would choose. */
    if (gp_open(NULL, &first) != GP_SUCCESS || gp_opencl_device(first, &device) != GP_SUCCESS) return failed("device");
    opencl = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return failed("clCreateContext");
    queue = clCreateCommandQueue(opencl, device, 0, &error);
    if (error != CL_SUCCESS) return failed("clCreateCommandQueue");
    memory = clCreateBuffer(opencl, CL_MEM_COPY_HOST_PTR, sizeof keys, keys, &error);
    if (error != CL_SUCCESS) return failed("clCreateBuffer");

    if (gp_open_opencl(opencl, device, queue, &context) != GP_SUCCESS) return failed("gp_open_opencl");
    if (gp_buffer_wrap(context, memory, &buffer) != GP_SUCCESS) return failed("gp_buffer_wrap");
    if (gp_enqueue_sort(context, GP_INT32, 4, buffer, 0, NULL, 0, NULL, NULL) != GP_SUCCESS) return failed("sort");
    gp_finish(context); /* the read below would come in order without it, too */
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof keys, keys, 0, NULL, NULL);
    gp_buffer_free(buffer);
    gp_close(context);
    gp_close(first);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    clReleaseContext(opencl);

    printf("%d %d %d %d\n", keys[0], keys[1], keys[2], keys[3]);
    return keys[0] == 1 && keys[1] == 3 && keys[2] == 5 && keys[3] == 9 ? 0 : 1;
}
