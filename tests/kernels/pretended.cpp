// An OpenCL library without a device: it pretends to be an NVIDIA GPU, computes nothing, and writes down every program that
// it is to build. compile.sh then compiles these for the GPU that was pretended.
//
// GPCL_TEST_CAPABILITY  the compute capability, such as 9.0
// GPCL_TEST_PROGRAMS    a folder, for a file N.cl a program, whose first line is a comment with the compiler's options
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

// Every object but these two is the address of this.
char object;

struct Buffer {
    std::vector<char> bytes;
    std::atomic<int> references{1};
};

struct Program {
    std::string source;
    std::atomic<int> references{1};
};

template <class T> void release(T *one) {
    if (--one->references == 0) delete one;
}

template <class T> T some() { return reinterpret_cast<T>(&object); }

template <class T> T some(cl_int *code) {
    if (code != nullptr) *code = CL_SUCCESS;
    return some<T>();
}

cl_int give(const void *data, size_t bytes, size_t room, void *to, size_t *size) {
    if (size != nullptr) *size = bytes;
    if (to == nullptr) return CL_SUCCESS;
    if (room < bytes) return CL_INVALID_VALUE;
    std::memcpy(to, data, bytes);
    return CL_SUCCESS;
}

template <class T> cl_int give(T value, size_t room, void *to, size_t *size) {
    return give(&value, sizeof value, room, to, size);
}

cl_int give(const char *text, size_t room, void *to, size_t *size) {
    return give(text, std::strlen(text) + 1, room, to, size);
}

const char *capability() {
    const char *given = std::getenv("GPCL_TEST_CAPABILITY");
    return given != nullptr ? given : "9.0";
}

cl_int device_info(cl_device_info what, size_t room, void *to, size_t *size) {
    switch (what) {
    case CL_DEVICE_TYPE: return give(cl_device_type{CL_DEVICE_TYPE_GPU}, room, to, size);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return give(cl_uint{132}, room, to, size);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: return give(cl_uint{1980}, room, to, size);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: return give(cl_uint{1}, room, to, size);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return give(cl_ulong{1} << 37, room, to, size);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return give(cl_ulong{1} << 35, room, to, size);
    case CL_DEVICE_LOCAL_MEM_SIZE: return give(cl_ulong{48} << 10, room, to, size);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return give(cl_ulong{50} << 20, room, to, size);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return give(size_t{1024}, room, to, size);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: return give(size_t{32768}, room, to, size);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return give(cl_uint{4096}, room, to, size);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_IMAGE_SUPPORT: return give(cl_bool{CL_TRUE}, room, to, size);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return give(cl_bool{CL_FALSE}, room, to, size);
    case CL_DEVICE_PLATFORM: return give(some<cl_platform_id>(), room, to, size);
    case CL_DEVICE_EXTENSIONS:
        return give("cl_khr_fp64 cl_khr_fp16 cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics "
                    "cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
                    "cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
                    "cl_nv_device_attribute_query",
                    room, to, size);
    case CL_DEVICE_NAME: return give("Pretended GPU", room, to, size);
    case CL_DEVICE_VENDOR: return give("Nobody", room, to, size);
    case CL_DRIVER_VERSION: return give("1", room, to, size);
    case CL_DEVICE_OPENCL_C_VERSION: return give("OpenCL C 1.2", room, to, size);
    case 0x4000: return give(static_cast<cl_uint>(std::atoi(capability())), room, to, size);
    case 0x4001: return give(static_cast<cl_uint>(std::atoi(std::strchr(capability(), '.') + 1)), room, to, size);
    default: return CL_INVALID_VALUE;
    }
}

void write_down(const std::string &source, const std::string &options) {
    static std::mutex mutex;
    static std::set<std::string> seen;
    const std::lock_guard lock(mutex);
    const char *folder = std::getenv("GPCL_TEST_PROGRAMS");
    if (folder == nullptr || !seen.insert(options + '\n' + source).second) return;
    std::ofstream(std::string(folder) + "/" + std::to_string(seen.size()) + ".cl") << "// " << options << "\n"
                                                                                   << source;
}

} // namespace

#define OPENCL extern "C" __attribute__((visibility("default"))) cl_int
#define RETAINS(name, type)                                                                                            \
    OPENCL clRetain##name(type) { return CL_SUCCESS; }                                                                 \
    OPENCL clRelease##name(type) { return CL_SUCCESS; }
#define ANSWER size_t room, void *to, size_t *size

RETAINS(Device, cl_device_id)
RETAINS(Context, cl_context)
RETAINS(CommandQueue, cl_command_queue)
RETAINS(Kernel, cl_kernel)
RETAINS(Event, cl_event)

OPENCL clRetainMemObject(cl_mem memory) {
    ++reinterpret_cast<Buffer *>(memory)->references;
    return CL_SUCCESS;
}
OPENCL clReleaseMemObject(cl_mem memory) {
    release(reinterpret_cast<Buffer *>(memory));
    return CL_SUCCESS;
}
OPENCL clRetainProgram(cl_program program) {
    ++reinterpret_cast<Program *>(program)->references;
    return CL_SUCCESS;
}
OPENCL clReleaseProgram(cl_program program) {
    release(reinterpret_cast<Program *>(program));
    return CL_SUCCESS;
}

OPENCL clGetPlatformIDs(cl_uint, cl_platform_id *to, cl_uint *count) {
    if (to != nullptr) *to = some<cl_platform_id>();
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
}
OPENCL clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *to, cl_uint *count) {
    if (to != nullptr) *to = some<cl_device_id>();
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
}
OPENCL clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t room, void *to, size_t *size) {
    return give("Pretended", room, to, size);
}
OPENCL clGetDeviceInfo(cl_device_id, cl_device_info what, size_t room, void *to, size_t *size) {
    return device_info(what, room, to, size);
}
extern "C" __attribute__((visibility("default"))) cl_context
clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                void (*)(const char *, const void *, size_t, void *), void *, cl_int *code) {
    return some<cl_context>(code);
}
OPENCL clGetContextInfo(cl_context, cl_context_info, ANSWER) { return give(some<void *>(), room, to, size); }
extern "C" __attribute__((visibility("default"))) cl_command_queue
clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int *code) {
    return some<cl_command_queue>(code);
}
OPENCL clGetCommandQueueInfo(cl_command_queue, cl_command_queue_info, ANSWER) {
    return give(cl_command_queue_properties{0}, room, to, size);
}

extern "C" __attribute__((visibility("default"))) cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t bytes, void *,
                                                                        cl_int *code) {
    some<cl_mem>(code);
    return reinterpret_cast<cl_mem>(new Buffer{std::vector<char>(std::min(bytes, size_t{1} << 20))});
}
extern "C" __attribute__((visibility("default"))) cl_mem
clCreateImage(cl_context, cl_mem_flags, const cl_image_format *, const cl_image_desc *, void *, cl_int *code) {
    some<cl_mem>(code);
    return reinterpret_cast<cl_mem>(new Buffer);
}
OPENCL clGetMemObjectInfo(cl_mem, cl_mem_info, ANSWER) { return give(size_t{0}, room, to, size); }

extern "C" __attribute__((visibility("default"))) cl_program
clCreateProgramWithSource(cl_context, cl_uint, const char **text, const size_t *length, cl_int *code) {
    some<cl_program>(code);
    return reinterpret_cast<cl_program>(new Program{{*text, *length}});
}
extern "C" __attribute__((visibility("default"))) cl_program
clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *,
                          cl_int *code) {
    *code = CL_INVALID_BINARY;
    return nullptr;
}
OPENCL clBuildProgram(cl_program program, cl_uint, const cl_device_id *, const char *options,
                      void (*)(cl_program, void *), void *) {
    write_down(reinterpret_cast<Program *>(program)->source, options);
    return CL_SUCCESS;
}
OPENCL clGetProgramInfo(cl_program, cl_program_info what, ANSWER) {
    return what == CL_PROGRAM_NUM_DEVICES ? give(cl_uint{0}, room, to, size) : CL_INVALID_VALUE;
}
OPENCL clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t room, void *to, size_t *size) {
    return give("", room, to, size);
}
extern "C" __attribute__((visibility("default"))) cl_kernel clCreateKernel(cl_program, const char *, cl_int *code) {
    return some<cl_kernel>(code);
}
OPENCL clSetKernelArg(cl_kernel, cl_uint, size_t, const void *) { return CL_SUCCESS; }
OPENCL clGetKernelInfo(cl_kernel, cl_kernel_info, ANSWER) { return give(cl_uint{0}, room, to, size); }
OPENCL clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, ANSWER) {
    return give(size_t{1024}, room, to, size);
}
OPENCL clWaitForEvents(cl_uint, const cl_event *) { return CL_SUCCESS; }
OPENCL clGetEventInfo(cl_event, cl_event_info, ANSWER) { return give(cl_int{CL_COMPLETE}, room, to, size); }
OPENCL clGetEventProfilingInfo(cl_event, cl_profiling_info, ANSWER) { return give(cl_ulong{0}, room, to, size); }
extern "C" __attribute__((visibility("default"))) cl_event clCreateUserEvent(cl_context, cl_int *code) {
    return some<cl_event>(code);
}
OPENCL clSetUserEventStatus(cl_event, cl_int) { return CL_SUCCESS; }
OPENCL clSetEventCallback(cl_event event, cl_int status, void (*call)(cl_event, cl_int, void *), void *data) {
    call(event, status, data);
    return CL_SUCCESS;
}
OPENCL clFlush(cl_command_queue) { return CL_SUCCESS; }
OPENCL clFinish(cl_command_queue) { return CL_SUCCESS; }

#define EVENTS cl_uint, const cl_event *, cl_event *event
static cl_int enqueued(cl_event *event) {
    if (event != nullptr) *event = some<cl_event>();
    return CL_SUCCESS;
}
OPENCL clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, EVENTS) {
    return enqueued(event);
}
OPENCL clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, EVENTS) {
    return enqueued(event);
}
OPENCL clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, EVENTS) { return enqueued(event); }
OPENCL clEnqueueCopyBufferToImage(cl_command_queue, cl_mem, cl_mem, size_t, const size_t *, const size_t *, EVENTS) {
    return enqueued(event);
}
OPENCL clEnqueueFillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, EVENTS) {
    return enqueued(event);
}
extern "C" __attribute__((visibility("default"))) void *
clEnqueueMapBuffer(cl_command_queue, cl_mem memory, cl_bool, cl_map_flags, size_t, size_t bytes, EVENTS, cl_int *code) {
    *code = enqueued(event);
    auto &all = reinterpret_cast<Buffer *>(memory)->bytes;
    all.resize(std::max(all.size(), bytes));
    return all.data();
}
OPENCL clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void *, EVENTS) { return enqueued(event); }
OPENCL clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,
                              EVENTS) {
    return enqueued(event);
}
OPENCL clEnqueueMarkerWithWaitList(cl_command_queue, EVENTS) { return enqueued(event); }
OPENCL clEnqueueBarrierWithWaitList(cl_command_queue, EVENTS) { return enqueued(event); }
