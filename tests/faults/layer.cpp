// The layer of faults.h. See the OpenCL loader's documentation of layers, and CL/cl_layer.h.
// SPDX-License-Identifier: MIT
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "faults.h"

#include "../support/opencl_layer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

std::atomic<long> calls = 0;
std::atomic<long> countdown = 0; // this many calls until the one that fails
std::atomic<const char *> failed = nullptr;
std::atomic<bool> without_float64 = false;
std::atomic<bool> without_parameters = false;

thread_local int in_driver = 0;
struct InDriver {
    InDriver() { ++in_driver; }
    ~InDriver() { --in_driver; }
};

enum Kind { kContext, kQueue, kMemory, kProgram, kKernel, kEvent, kKinds };
constexpr std::array<const char *, kKinds> kNames = {"context", "queue", "memory", "program", "kernel", "event"};
std::array<std::atomic<long>, kKinds> live = {};

template <class Object> constexpr Kind kind_of() {
    if constexpr (std::is_same_v<Object, cl_context>)
        return kContext;
    else if constexpr (std::is_same_v<Object, cl_command_queue>)
        return kQueue;
    else if constexpr (std::is_same_v<Object, cl_mem>)
        return kMemory;
    else if constexpr (std::is_same_v<Object, cl_program>)
        return kProgram;
    else if constexpr (std::is_same_v<Object, cl_kernel>)
        return kKernel;
    else if constexpr (std::is_same_v<Object, cl_event>)
        return kEvent;
    else
        return kKinds; // not counted
}

// The account of memory: what was created and is still referred to, but for what lies in the
// caller's own memory.
class MemoryAccount {
  public:
    void made(cl_mem object, size_t bytes) {
        const std::lock_guard lock(mutex_);
        objects_[object] = {bytes, 1};
        bytes_ += bytes;
        peak_ = std::max(peak_, bytes_);
    }
    void refer(cl_mem object, long by) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(object);
        if (found == objects_.end() || (found->second.references += by) > 0) return;
        bytes_ -= found->second.bytes;
        objects_.erase(found);
    }
    size_t peak() {
        const std::lock_guard lock(mutex_);
        return std::exchange(peak_, bytes_);
    }

  private:
    struct Object {
        size_t bytes;
        long references;
    };
    std::mutex mutex_;
    std::map<cl_mem, Object> objects_;
    size_t bytes_ = 0, peak_ = 0;
} memory;

void note_memory(cl_mem made, cl_context, cl_mem_flags flags, size_t bytes, void *, cl_int *) {
    if ((flags & CL_MEM_USE_HOST_PTR) == 0) memory.made(made, bytes);
}
void note_memory(cl_mem made, cl_context, cl_mem_flags, const cl_image_format *, const cl_image_desc *image, void *,
                 cl_int *) {
    constexpr size_t kPixel = 16; // the largest there is
    memory.made(made, image->image_width * std::max<size_t>(image->image_height, 1) * kPixel);
}
template <class... Other> void note_memory(Other...) {}

template <class Object> void count(Object object, long by) {
    if constexpr (std::is_same_v<Object, cl_mem>) memory.refer(object, by);
    if constexpr (kind_of<Object>() != kKinds) {
        if (object != nullptr) live[kind_of<Object>()] += by;
    }
}

// Events come back through a pointer.
template <class Argument> void count_event(Argument argument) {
    if constexpr (std::is_same_v<Argument, cl_event *>) {
        if (argument != nullptr) count(*argument, 1);
    }
}

std::atomic<bool> lost = false, hung = false;

// What drivers return when a device is gone, in turn.
cl_int next_loss() {
    static std::atomic<unsigned> turn = 0;
    constexpr std::array<cl_int, 5> kCodes = {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, CL_DEVICE_NOT_AVAILABLE,
                                              CL_INVALID_CONTEXT, -9999};
    return kCodes[turn++ % kCodes.size()];
}

// What a driver in trouble returns, in turn.
cl_int next_code() {
    static std::atomic<unsigned> turn = 0;
    constexpr std::array<cl_int, 3> kCodes = {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                              CL_OUT_OF_HOST_MEMORY};
    return lost ? next_loss() : kCodes[turn++ % kCodes.size()];
}

bool begins(const char *name, const char *with) { return std::strncmp(name, with, std::strlen(with)) == 0; }

enum class Mode { kFail, kLose, kHang };
std::atomic<Mode> mode = Mode::kFail; // what happens when the countdown ends
std::atomic<const char *> waited = nullptr;

// What was made and not released.
std::mutex made_mutex;
std::set<cl_command_queue> queues;
std::map<cl_event, int> user_events; // and how many references are held

std::vector<cl_device_id> devices; // on which queues were made
std::atomic<long> hanging_device = -1;

cl_device_id device_of(cl_command_queue queue) {
    cl_device_id device = nullptr;
    driver->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
    return device;
}

// Is it among those that hang?
bool may_hang(cl_command_queue queue) {
    const long index = hanging_device;
    return index < 0 || devices.at(static_cast<size_t>(index)) == device_of(queue);
}

// Commands that come after this never run.
void stop(cl_command_queue queue) {
    cl_context context = nullptr;
    driver->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    const cl_event never = driver->clCreateUserEvent(context, nullptr);
    driver->clEnqueueBarrierWithWaitList(queue, 1, &never, nullptr);
    driver->clFlush(queue);
}

void made(const char *name, cl_command_queue queue) {
    const std::lock_guard lock(made_mutex);
    if (std::strstr(name, "Create") == nullptr) return;
    const cl_device_id device = device_of(queue);
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
    if (hung && may_hang(queue))
        stop(queue);
    else
        queues.insert(queue);
}
void made(const char *name, cl_event event) {
    const std::lock_guard lock(made_mutex);
    if (std::strstr(name, "CreateUserEvent") != nullptr) user_events[event] = 1;
}
template <class Other> void made(const char *, Other) {}

template <class Object> void keep(Object object) {
    const std::lock_guard lock(made_mutex);
    if constexpr (std::is_same_v<Object, cl_event>) {
        if (user_events.count(object) != 0) ++user_events[object];
    }
}

template <class Object> void forget(Object object) {
    const std::lock_guard lock(made_mutex);
    if constexpr (std::is_same_v<Object, cl_command_queue>) queues.erase(object); // of which there is one reference
    if constexpr (std::is_same_v<Object, cl_event>) {
        if (user_events.count(object) != 0 && --user_events[object] == 0) user_events.erase(object);
    }
}

void lose() {
    const std::lock_guard lock(made_mutex);
    lost = true;
    for (const auto &[event, references] : user_events) driver->clSetUserEventStatus(event, CL_COMPLETE);
    for (const cl_command_queue queue : queues) driver->clFinish(queue); // or it would use memory that is freed
    user_events.clear();
    queues.clear();
}

void hang() {
    const std::lock_guard lock(made_mutex);
    hung = true;
    for (auto next = queues.begin(); next != queues.end();) {
        const auto each = next++;
        if (!may_hang(*each)) continue;
        stop(*each);
        queues.erase(each);
    }
    user_events.clear();
}

// Is this the call that fails? Giving back never does, but a lost device takes nothing back.
bool fails(const char *name) {
    if (lost) return true;
    if (countdown.load() <= 0 || --countdown != 0) return false;
    failed = name;
    if (mode == Mode::kLose) lose();
    if (mode == Mode::kHang) hang();
    return mode != Mode::kHang;
}

// Does such a call wait for commands?
bool blocks(const char *, cl_uint count, const cl_event *events) {
    return std::any_of(events, events + count, [](cl_event event) {
        cl_int status = CL_COMPLETE;
        driver->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return status > CL_COMPLETE;
    });
}
template <class... Rest> bool blocks(const char *, cl_command_queue, cl_mem, cl_bool blocking, Rest...) {
    return blocking == CL_TRUE; // copies and maps
}
bool blocks(const char *name, ...) { return begins(name, "clFinish"); }

// Would it never come back?
template <class... Arguments> bool waits(const char *name, Arguments... arguments) {
    if (!hung || !blocks(name, arguments...)) return false;
    waited = name;
    return true;
}

cl_int hide_float64(cl_device_info what, size_t bytes, void *value) {
    if (value == nullptr) return CL_SUCCESS;
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG || what == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE ||
        what == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) {
        std::memset(value, 0, bytes);
    }
    if (what == CL_DEVICE_EXTENSIONS) {
        char *found = std::strstr(static_cast<char *>(value), "cl_khr_fp64");
        if (found != nullptr) std::memset(found, ' ', std::strlen("cl_khr_fp64"));
    }
    return CL_SUCCESS;
}

// A function that returns a status, or an object and its status through the last argument.
template <auto Member, class Name, class Function> struct Hook;
template <auto Member, class Name, class Result, class... Arguments>
struct Hook<Member, Name, Result(CL_API_CALL *)(Arguments...)> {
    static Result CL_API_CALL call(Arguments... arguments) {
        const char *name = Name::text;
        ++calls;
        ++Name::calls;
        const auto forward = [&] {
            const InDriver here;
            return (driver->*Member)(arguments...);
        };
        if constexpr (std::is_same_v<Result, cl_int>) {
            if (begins(name, "clRelease") && !lost) { // giving back never fails
                (forget(arguments), ...);
                const cl_int status = forward();
                if (status == CL_SUCCESS) (count(arguments, -1), ...);
                return status;
            }
            if (fails(name)) {
                // Work under way may still use the caller's memory, so wait before saying that
                // waiting failed.
                if (!lost && (begins(name, "clFinish") || begins(name, "clWaitForEvents"))) forward();
                return next_code();
            }
            if (waits(name, arguments...)) return CL_OUT_OF_RESOURCES;
            if (Name::is_parameter_info && without_parameters) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
            const cl_int status = forward();
            if (status != CL_SUCCESS) return status;
            if (begins(name, "clRetain")) (count(arguments, 1), ...), (keep(arguments), ...);
            (count_event(arguments), ...);
            if constexpr (sizeof...(Arguments) == 5 && Name::is_device_info) {
                const auto info = [](cl_device_id, cl_device_info what, size_t bytes, void *value, size_t *) {
                    return without_float64 ? hide_float64(what, bytes, value) : CL_SUCCESS;
                };
                return info(arguments...);
            }
            return CL_SUCCESS;
        } else {
            if (fails(name)) {
                const cl_int code = next_code();
                (tell(arguments, code), ...);
                return nullptr;
            }
            if (waits(name, arguments...)) {
                (tell(arguments, CL_OUT_OF_RESOURCES), ...);
                return nullptr;
            }
            const Result result = forward();
            count(result, 1);
            if (result != nullptr) note_memory(result, arguments...);
            if (result != nullptr) made(name, result);
            if (result != nullptr) (count_event(arguments), ...);
            return result;
        }
    }

  private:
    template <class Other> static void tell(Other, cl_int) {}
    static void tell(cl_int *to, cl_int code) {
        if (to != nullptr) *to = code;
    }
};

// Every function of OpenCL 1.2 that works on devices, memory, programs and queues, and those that
// replaced some later.
// clang-format off
#define FUNCTIONS(X)                                                                                                   \
    X(GetPlatformInfo) X(GetDeviceIDs) X(GetDeviceInfo) X(RetainDevice) X(ReleaseDevice) X(CreateContext)              \
    X(CreateContextFromType) X(RetainContext) X(ReleaseContext) X(GetContextInfo) X(CreateCommandQueue)                \
    X(CreateCommandQueueWithProperties) X(RetainCommandQueue) X(ReleaseCommandQueue) X(GetCommandQueueInfo)            \
    X(CreateBuffer) X(CreateImage) X(EnqueueCopyBufferToImage) X(CreateSubBuffer) X(RetainMemObject) X(ReleaseMemObject) X(GetMemObjectInfo)                      \
    X(CreateProgramWithSource) X(CreateProgramWithBinary) X(RetainProgram) X(ReleaseProgram) X(BuildProgram)           \
    X(CompileProgram) X(GetProgramInfo) X(GetProgramBuildInfo) X(CreateKernel) X(RetainKernel) X(ReleaseKernel)        \
    X(SetKernelArg) X(GetKernelInfo) X(GetKernelArgInfo) X(GetKernelWorkGroupInfo) X(WaitForEvents) X(GetEventInfo)    \
    X(CreateUserEvent) X(SetUserEventStatus) X(SetEventCallback) X(RetainEvent) X(ReleaseEvent)                        \
    X(GetEventProfilingInfo) X(Flush) X(Finish) X(EnqueueReadBuffer) X(EnqueueWriteBuffer) X(EnqueueCopyBuffer)        \
    X(EnqueueReadBufferRect) X(EnqueueWriteBufferRect) X(EnqueueCopyBufferRect) X(EnqueueFillBuffer)                   \
    X(EnqueueMapBuffer) X(EnqueueUnmapMemObject) X(EnqueueMigrateMemObjects) X(EnqueueNDRangeKernel) X(EnqueueNativeKernel) X(EnqueueTask) X(SetMemObjectDestructorCallback) \
    X(EnqueueMarkerWithWaitList) X(EnqueueBarrierWithWaitList)
// clang-format on

#define NAME(function)                                                                                                 \
    struct Name##function {                                                                                            \
        static constexpr const char *text = "cl" #function;                                                            \
        [[maybe_unused]] static constexpr bool is_device_info = std::string_view(#function) == "GetDeviceInfo";        \
        [[maybe_unused]] static constexpr bool is_parameter_info = std::string_view(#function) == "GetKernelArgInfo";  \
        static inline std::atomic<long> calls = 0;                                                                     \
    };
FUNCTIONS(NAME)
#undef NAME

const char *layer_name() { return "gpcl faults"; }

void hook() {
#define HOOK(function)                                                                                                 \
    table.cl##function =                                                                                               \
        Hook<&cl_icd_dispatch::cl##function, Name##function, decltype(cl_icd_dispatch::cl##function)>::call;
    FUNCTIONS(HOOK)
#undef HOOK
}

void arm(long call, Mode what) {
    failed = nullptr;
    waited = nullptr;
    lost = hung = false;
    mode = what;
    calls = 0;
#define RESET(function) Name##function::calls = 0;
    FUNCTIONS(RESET)
#undef RESET
    countdown = call;
}
} // namespace

VISIBLE void faults_arm(long call) { arm(call, Mode::kFail); }
VISIBLE void faults_lose(long call) { arm(call, Mode::kLose); }
VISIBLE void faults_hang(long call) { arm(call, Mode::kHang); }
VISIBLE void faults_hang_device(long index) { hanging_device = index; }
VISIBLE bool faults_in_driver() { return in_driver > 0; }
VISIBLE const char *faults_waited() { return waited; }
VISIBLE const char *faults_hit() { return failed; }
VISIBLE long faults_calls() { return calls; }
VISIBLE long faults_calls_of(const char *name) {
    long sum = 0;
#define ADD(function)                                                                                                  \
    if (begins(Name##function::text, name)) sum += Name##function::calls;
    FUNCTIONS(ADD)
#undef ADD
    return sum;
}
VISIBLE void faults_hide_parameters(bool hidden) { without_parameters = hidden; }
VISIBLE size_t faults_memory_peak() { return memory.peak(); }
VISIBLE void faults_hide_float64() { without_float64 = true; }
VISIBLE const char *faults_live() {
    static std::string report;
    report.clear();
    for (int kind = 0; kind < kKinds; ++kind) {
        const long held = live[static_cast<size_t>(kind)];
        if (held == 0) continue;
        if (!report.empty()) report += ", ";
        report += std::to_string(held) + " " + kNames[static_cast<size_t>(kind)];
    }
    return report.c_str();
}
