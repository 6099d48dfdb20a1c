// OpenCL itself: the one include of its header, its functions found at run time, and owning
// references to its objects. The loader is not linked: a program that embeds gpcl starts, and uses
// the host path, where no OpenCL is installed.
// SPDX-License-Identifier: MIT
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "core/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The OpenCL functions that gpcl can't do without, without their "cl".
// clang-format off
#define GPCL_OPENCL_FUNCTIONS(X)                                                                                       \
    X(GetPlatformIDs) X(GetPlatformInfo) X(GetDeviceIDs) X(GetDeviceInfo) X(RetainDevice) X(ReleaseDevice)             \
    X(CreateContext) X(RetainContext) X(ReleaseContext) X(GetContextInfo) X(CreateCommandQueue) X(RetainCommandQueue)  \
    X(ReleaseCommandQueue) X(GetCommandQueueInfo) X(CreateBuffer) X(CreateImage) X(RetainMemObject)                    \
    X(ReleaseMemObject) X(GetMemObjectInfo) X(CreateProgramWithSource) X(CreateProgramWithBinary) X(RetainProgram)     \
    X(ReleaseProgram) X(BuildProgram) X(GetProgramInfo) X(GetProgramBuildInfo) X(CreateKernel) X(RetainKernel)         \
    X(ReleaseKernel) X(SetKernelArg) X(GetKernelInfo) X(GetKernelWorkGroupInfo) X(WaitForEvents) X(GetEventInfo)       \
    X(RetainEvent) X(ReleaseEvent) X(GetEventProfilingInfo) X(Flush) X(Finish) X(EnqueueReadBuffer)                    \
    X(EnqueueWriteBuffer) X(EnqueueCopyBuffer) X(EnqueueCopyBufferToImage) X(EnqueueFillBuffer) X(EnqueueMapBuffer)    \
    X(EnqueueUnmapMemObject) X(EnqueueNDRangeKernel) X(EnqueueNativeKernel) X(EnqueueMarkerWithWaitList)               \
    X(EnqueueBarrierWithWaitList) X(SetMemObjectDestructorCallback) X(CreateUserEvent) X(SetUserEventStatus)           \
    X(SetEventCallback)
// clang-format on

namespace gpcl::cl {

struct Api {
#define GPCL_MEMBER(name) decltype(&::cl##name) name = nullptr;
    GPCL_OPENCL_FUNCTIONS(GPCL_MEMBER)
#undef GPCL_MEMBER
    bool present = false;                                       // all of the above were found
    std::string trouble;                                        // why not
    decltype(&::clGetKernelArgInfo) GetKernelArgInfo = nullptr; // where the library has it
};

// The loader's functions: those already in the process, else libOpenCL.so.1 or what
// GPCL_OPENCL_LIBRARY names. Throws GP_ERROR_FORK in a forked() process, and GP_ERROR_DEVICE_LOST
// in a call on a lost device.
const Api &api();

// The same for what gives back and must not throw: NULL instead. What would be given back is left
// to the process' end then.
const Api *usable_api() noexcept;

// Was this process forked from one that had called api()? Drivers' threads stay behind, so a call
// may wait for ever.
bool forked() noexcept;

// "CL_OUT_OF_RESOURCES" for -5.
std::string error_name(cl_int code);

// Throws GP_ERROR_DEVICE_LOST where an error of the call's own objects says that the device is
// lost, or may say so and the device gives no sign of life. `what` tells of the error.
void require_device(cl_int code, const std::string &what);

// Whether the device still takes commands. A queue that is busy with others is a sign of life.
bool gives_sign_of_life(cl_command_queue queue);

// Throws that error, or GP_ERROR_DEVICE_LOST.
[[noreturn]] void fail_with(gp_status status, cl_int code, const std::string &message, std::string build_log = {});

// Throws an Error that names the function, the OpenCL error and what it was about.
[[noreturn]] void fail_call(cl_int code, const char *function, const std::string &about);

inline void check(cl_int code, const char *function, const std::string &about = {}) {
    if (code != CL_SUCCESS) fail_call(code, function, about);
}

// Reads a text property through the query function and object that `get` closes over.
template <class Get> std::string query_text(Get get) {
    size_t bytes = 0;
    if (get(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string value(bytes, '\0');
    if (get(bytes, value.data(), nullptr) != CL_SUCCESS) return {};
    value.resize(value.find('\0') == std::string::npos ? bytes : value.find('\0'));
    const size_t first = value.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : value.substr(first, value.find_last_not_of(' ') - first + 1);
}

// How each kind of OpenCL object is retained and released.
template <class T> struct Counting;
#define GPCL_COUNTING(type, name)                                                                                      \
    template <> struct Counting<type> {                                                                                \
        static void retain(type object) { check(api().Retain##name(object), "clRetain" #name); }                       \
        static void release(type object) noexcept {                                                                    \
            if (const Api *table = usable_api()) table->Release##name(object);                                         \
        }                                                                                                              \
    };
GPCL_COUNTING(cl_context, Context)
GPCL_COUNTING(cl_command_queue, CommandQueue)
GPCL_COUNTING(cl_device_id, Device)
GPCL_COUNTING(cl_mem, MemObject)
GPCL_COUNTING(cl_program, Program)
GPCL_COUNTING(cl_kernel, Kernel)
GPCL_COUNTING(cl_event, Event)
#undef GPCL_COUNTING

// Owns one reference to an OpenCL object.
template <class T> class Ref {
  public:
    Ref() = default;
    explicit Ref(T owned) : object_(owned) {}
    static Ref retained(T borrowed) {
        if (borrowed != nullptr) Counting<T>::retain(borrowed);
        return Ref(borrowed);
    }
    Ref(const Ref &) = delete;
    Ref &operator=(const Ref &) = delete;
    Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref &operator=(Ref &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_ != nullptr) Counting<T>::release(object_);
    }
    T get() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    T object_ = nullptr;
};

// What a command waits for.
struct WaitList {
    cl_uint count = 0;
    const cl_event *events = nullptr;
};

// Waits below end when the call must have (core/call.h), with GP_ERROR_TIMEOUT. Then they ask for
// the event's status now and again; where a call may take for ever, they leave the waiting to the
// driver.

// Is the event's command done? Throws GP_ERROR_LAUNCH where it failed.
bool is_complete(cl_event event);
// Waits for that.
void await(cl_event event, std::string_view about);
// The same for all commands of a queue.
void await_all(cl_command_queue queue, std::string_view about);

// The same where commands use memory of the host's that the caller will have back. Where they don't
// end in time they may use it for ever, so the device is lost.
void settle(cl_event event, std::string_view about);
void settle_all(cl_command_queue queue, std::string_view about);

// Whether a command that has to be done when OpenCL's function returns may wait in there. CL_FALSE:
// settle() waits for its event.
cl_bool blocks(bool blocking);

// Holds something until the process ends.
void keep(std::shared_ptr<void> what);

// Memory of the library's own that commands use: a call on a lost device does not free it.
template <class T> struct Kept : std::vector<T> {
    using std::vector<T>::vector;
    explicit Kept(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}
    Kept(Kept &&) noexcept = default;
    Kept &operator=(Kept &&) noexcept = default;
    ~Kept() {
        const CallScope *call = CallScope::current();
        if (call == nullptr || call->device() == nullptr || !call->device()->is_lost()) return;
        try {
            keep(std::make_shared<std::vector<T>>(std::move(*this)));
        } catch (...) {
            // No memory to keep it.
        }
    }
};

// Maps a part of a buffer now.
void *map_memory(cl_command_queue queue, cl_mem memory, cl_map_flags flags, size_t offset, size_t bytes, WaitList wait,
                 std::string_view about);

} // namespace gpcl::cl
