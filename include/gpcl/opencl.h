/* gpcl for programs that use OpenCL themselves: open on the caller's own context and queue, share
 * memory and events.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every object taken from the caller is retained and released again when its handle is freed.
 * Objects handed out belong to the library and stay valid as long as the handle; call clRetain...
 * to keep them longer.
 */
#ifndef GPCL_OPENCL_H
#define GPCL_OPENCL_H

#include <gpcl/gpcl.h>

#if !defined(GP_PARSE) && !defined(SWIG)
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif
#endif

/* Opens a context on the caller's device and queue. All work goes to that queue; it may be in-order
 * or out-of-order. Times (gp_profile) need a queue that was created with CL_QUEUE_PROFILING_ENABLE.
 * Errors: GP_ERROR_NULL_POINTER; GP_ERROR_WRONG_CONTEXT when the queue belongs to another context
 *         or device;
 * GP_ERROR_OPENCL when one of the three is not an OpenCL object. */
GP_API gp_status gp_open_opencl(cl_context opencl_context, cl_device_id device, cl_command_queue queue,
                                gp_context **context);

/* The OpenCL objects behind a context. Errors: GP_ERROR_UNSUPPORTED_DEVICE on "host". */
GP_API gp_status gp_opencl_context(gp_context *context, cl_context *opencl_context);
GP_API gp_status gp_opencl_device(gp_context *context, cl_device_id *device);
GP_API gp_status gp_opencl_queue(gp_context *context, cl_command_queue *queue);

/* Makes a buffer of a cl_mem (a buffer or sub-buffer) of the same cl_context; its whole size
 * counts. Arrays that overlap are recognised through every handle and sub-buffer of one cl_mem.
 * Errors: GP_ERROR_WRONG_CONTEXT, GP_ERROR_OPTION when it is an image or pipe. */
GP_API gp_status gp_buffer_wrap(gp_context *context, cl_mem memory, gp_buffer **buffer);
GP_API gp_status gp_opencl_mem(gp_buffer *buffer, cl_mem *memory);

/* Makes an event of a cl_event of the same cl_context, for wait lists; and back, where it covers
 * the whole call. */
GP_API gp_status gp_event_wrap(gp_context *context, cl_event opencl_event, gp_event **event);
GP_API gp_status gp_opencl_event(gp_event *event, cl_event *opencl_event);

#if !defined(GP_PARSE) && !defined(SWIG)
#ifdef __cplusplus
}
#endif
#endif

#endif
