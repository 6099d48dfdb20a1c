// Finds OpenCL's functions, and puts its error codes into words.
// SPDX-License-Identifier: MIT
#include "cl/opencl.h"

#include "core/files.h"
#include "core/system.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace gpcl::cl {
namespace {

#if defined(_WIN32)
constexpr char kLoader[] = "OpenCL.dll";
#elif defined(__APPLE__)
constexpr char kLoader[] = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
constexpr char kLoader[] = "libOpenCL.so.1";
#endif

std::atomic<bool> is_forked = false;

void fill(Api &table, void *library, const char *file) {
    const char *missing = nullptr;
#define GPCL_LOOK_UP(name)                                                                                             \
    table.name = reinterpret_cast<decltype(table.name)>(find_symbol(library, "cl" #name));                             \
    if (table.name == nullptr && missing == nullptr) missing = "cl" #name;
    GPCL_OPENCL_FUNCTIONS(GPCL_LOOK_UP)
#undef GPCL_LOOK_UP
    table.GetKernelArgInfo =
        reinterpret_cast<decltype(table.GetKernelArgInfo)>(find_symbol(library, "clGetKernelArgInfo"));
    table.present = missing == nullptr;
    table.trouble = table.present ? "" : text(file, " has no ", missing);
}

Api load() {
    Api table;
    // A program that links OpenCL itself, or runs under a tool that stands in for it, must share it
    // with us.
    const char *named = variable("GPCL_OPENCL_LIBRARY");
    if (named == nullptr) fill(table, nullptr, "the process");
    if (!table.present) {
        const char *file = named != nullptr ? named : kLoader;
        if (void *library = open_library(file, table.trouble)) fill(table, library, file);
        if (named != nullptr) table.trouble.insert(0, "GPCL_OPENCL_LIBRARY: ");
    }
    if (table.present) at_fork([] { is_forked = true; });
    return table;
}

gp_status status_of(cl_int code) {
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY: return GP_ERROR_HOST_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return GP_ERROR_DEVICE_MEMORY;
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return GP_ERROR_LAUNCH;
    case CL_INVALID_BUFFER_SIZE: return GP_ERROR_TOO_LARGE;
    default: return GP_ERROR_OPENCL;
    }
}

const Api &table() {
    static const Api loaded = load();
    return loaded;
}

// An error that only a device that is gone gives for objects that were all right.
bool tells_of_loss(cl_int code) {
    return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_CONTEXT || code == CL_INVALID_COMMAND_QUEUE;
}

// One that drivers give for lost devices as well as for calls that ask for too much, or for a
// command that failed alone; or one of a vendor's own.
bool may_tell_of_loss(cl_int code) {
    constexpr cl_int kLastOfOpenCL = -1000; // extensions' codes and vendors' come after it
    return code == CL_OUT_OF_RESOURCES || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || code < kLastOfOpenCL;
}

// Takes no memory unless it throws, so that a wait comes about without any.
void check_about(cl_int code, const char *function, std::string_view about) {
    if (code != CL_SUCCESS) fail_call(code, function, std::string(about));
}

DeviceState *device_of_call() noexcept {
    const CallScope *call = CallScope::current();
    return call != nullptr ? call->device().get() : nullptr;
}

bool is_bounded() {
    const CallScope *call = CallScope::current();
    return call != nullptr && call->is_bounded();
}

// Asks at ever longer intervals, an eighth of the time so far, whether the event is complete; false
// when the time is over.
bool completes_until(cl_event event, Time end) {
    using std::chrono::microseconds;
    cl_command_queue queue = nullptr; // none of a user event
    check(api().GetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr), "clGetEventInfo");
    if (queue != nullptr) check(api().Flush(queue), "clFlush");
    const Time start = std::chrono::steady_clock::now();
    for (;;) {
        if (is_complete(event)) return true;
        const Time now = std::chrono::steady_clock::now();
        if (now >= end) return false;
        const auto wait =
            std::clamp(std::chrono::duration_cast<microseconds>(now - start) / 8, microseconds(10), microseconds(1000));
        std::this_thread::sleep_until(std::min(now + wait, end));
    }
}

Ref<cl_event> marker(cl_command_queue queue) {
    cl_event event = nullptr;
    check(api().EnqueueMarkerWithWaitList(queue, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
    return Ref(event);
}

// Runs a wait, after which nothing of the host's memory is in use, or the device is lost. The
// driver does not come back from its own waits before.
template <class Wait> void wait_or_lose(const Wait &wait) {
    const auto lose = [](std::string_view why, int32_t opencl) {
        if (DeviceState *device = device_of_call()) device->lose(why, opencl);
    };
    if (!is_bounded()) return wait();
    for (bool again = true;; again = false) {
        try {
            return wait();
        } catch (const Error &error) {
            if (error.status == GP_ERROR_LAUNCH) throw; // the command is over
            const bool late = error.status == GP_ERROR_TIMEOUT;
            if (again && !late) continue;
            lose(late ? "a call was given up at its deadline, and may still use the memory that it was given"
                      : std::string_view(error.message),
                 error.opencl);
            throw;
        } catch (...) {
            if (again) continue;
            lose("no memory to find out whether a call still uses what it was given", 0);
            throw;
        }
    }
}

} // namespace

bool forked() noexcept { return is_forked; }

const Api &api() {
    const Api &loaded = table();
    require(!forked(), GP_ERROR_FORK,
            "this process was forked from one that had used OpenCL, which does not come along; "
            "expected \"host\", or a fork before OpenCL is used");
    if (const DeviceState *device = device_of_call()) device->require_present();
    return loaded;
}

const Api *usable_api() noexcept {
    const DeviceState *device = device_of_call();
    return forked() || (device != nullptr && device->is_lost()) ? nullptr : &table();
}

void require_device(cl_int code, const std::string &what) {
    DeviceState *device = device_of_call();
    if (device == nullptr || code == CL_SUCCESS) return;
    device->require_present();
    if (tells_of_loss(code) || (may_tell_of_loss(code) && device->answers && !device->answers()))
        device->lose(what, code);
    device->require_present();
}

void fail_with(gp_status status, cl_int code, const std::string &message, std::string build_log) {
    require_device(code, message);
    throw Error(status, message, code, std::move(build_log));
}

void fail_call(cl_int code, const char *function, const std::string &about) {
    fail_with(status_of(code), code,
              text(function, " returned ", error_name(code), about.empty() ? "" : " for ", about));
}

bool is_complete(cl_event event) {
    cl_int status = CL_COMPLETE;
    check(api().GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
          "clGetEventInfo");
    if (status < 0) { // which may be a caller's own number
        const std::string what = text("the work behind the event failed: ", error_name(status));
        require_device(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, what);
        throw Error(GP_ERROR_LAUNCH, what, status);
    }
    return status == CL_COMPLETE;
}

void await(cl_event event, std::string_view about) {
    if (!is_bounded()) {
        check_about(api().WaitForEvents(1, &event), "clWaitForEvents", about);
        is_complete(event); // throws where its work failed, which NVIDIA's wait does not tell
        return;
    }
    require(completes_until(event, CallScope::current()->end()), GP_ERROR_TIMEOUT, "what the call waits for on ", about,
            " did not end in time");
}

void await_all(cl_command_queue queue, std::string_view about) {
    if (!is_bounded()) return check_about(api().Finish(queue), "clFinish", about);
    await(marker(queue).get(), about);
}

void settle(cl_event event, std::string_view about) {
    wait_or_lose([&] { await(event, about); });
}

void settle_all(cl_command_queue queue, std::string_view about) {
    wait_or_lose([&] { await_all(queue, about); });
}

cl_bool blocks(bool blocking) { return blocking && !is_bounded() ? CL_TRUE : CL_FALSE; }

void keep(std::shared_ptr<void> what) {
    static auto *mutex = new std::mutex;
    static auto *all = new std::vector<std::shared_ptr<void>>;
    const std::lock_guard lock(*mutex);
    all->push_back(std::move(what));
}

void *map_memory(cl_command_queue queue, cl_mem memory, cl_map_flags flags, size_t offset, size_t bytes, WaitList wait,
                 std::string_view about) {
    const cl_bool blocking = blocks(true);
    cl_event mapped = nullptr;
    cl_int code = CL_SUCCESS;
    void *pointer = api().EnqueueMapBuffer(queue, memory, blocking, flags, offset, bytes, wait.count, wait.events,
                                           blocking ? nullptr : &mapped, &code);
    const Ref event(mapped);
    check_about(code, "clEnqueueMapBuffer", about);
    if (!event) return pointer;
    try {
        await(mapped, about);
    } catch (...) { // it ends once it has come about
        if (const Api *api = usable_api()) api->EnqueueUnmapMemObject(queue, memory, pointer, 1, &mapped, nullptr);
        throw;
    }
    return pointer;
}

bool gives_sign_of_life(cl_command_queue queue) {
    constexpr std::chrono::milliseconds kPatience(100);
    cl_event event = nullptr;
    const cl_int code = api().EnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
    if (code != CL_SUCCESS) return code == CL_OUT_OF_HOST_MEMORY;
    const Ref marked(event);
    if (api().Flush(queue) != CL_SUCCESS) return false;
    const Time end = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        cl_int status = CL_COMPLETE;
        if (api().GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS)
            return false;
        const bool failed_before = status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; // an earlier command
        if (status <= CL_COMPLETE) return status == CL_COMPLETE || failed_before;
        if (std::chrono::steady_clock::now() >= end) return true;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

std::string error_name(cl_int code) {
    switch (code) {
#define GPCL_NAME(name)                                                                                                \
    case name: return #name
        GPCL_NAME(CL_SUCCESS);
        GPCL_NAME(CL_DEVICE_NOT_FOUND);
        GPCL_NAME(CL_DEVICE_NOT_AVAILABLE);
        GPCL_NAME(CL_COMPILER_NOT_AVAILABLE);
        GPCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        GPCL_NAME(CL_OUT_OF_RESOURCES);
        GPCL_NAME(CL_OUT_OF_HOST_MEMORY);
        GPCL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        GPCL_NAME(CL_MEM_COPY_OVERLAP);
        GPCL_NAME(CL_IMAGE_FORMAT_MISMATCH);
        GPCL_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        GPCL_NAME(CL_BUILD_PROGRAM_FAILURE);
        GPCL_NAME(CL_MAP_FAILURE);
        GPCL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        GPCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        GPCL_NAME(CL_COMPILE_PROGRAM_FAILURE);
        GPCL_NAME(CL_LINKER_NOT_AVAILABLE);
        GPCL_NAME(CL_LINK_PROGRAM_FAILURE);
        GPCL_NAME(CL_DEVICE_PARTITION_FAILED);
        GPCL_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        GPCL_NAME(CL_INVALID_VALUE);
        GPCL_NAME(CL_INVALID_DEVICE_TYPE);
        GPCL_NAME(CL_INVALID_PLATFORM);
        GPCL_NAME(CL_INVALID_DEVICE);
        GPCL_NAME(CL_INVALID_CONTEXT);
        GPCL_NAME(CL_INVALID_QUEUE_PROPERTIES);
        GPCL_NAME(CL_INVALID_COMMAND_QUEUE);
        GPCL_NAME(CL_INVALID_HOST_PTR);
        GPCL_NAME(CL_INVALID_MEM_OBJECT);
        GPCL_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        GPCL_NAME(CL_INVALID_IMAGE_SIZE);
        GPCL_NAME(CL_INVALID_SAMPLER);
        GPCL_NAME(CL_INVALID_BINARY);
        GPCL_NAME(CL_INVALID_BUILD_OPTIONS);
        GPCL_NAME(CL_INVALID_PROGRAM);
        GPCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        GPCL_NAME(CL_INVALID_KERNEL_NAME);
        GPCL_NAME(CL_INVALID_KERNEL_DEFINITION);
        GPCL_NAME(CL_INVALID_KERNEL);
        GPCL_NAME(CL_INVALID_ARG_INDEX);
        GPCL_NAME(CL_INVALID_ARG_VALUE);
        GPCL_NAME(CL_INVALID_ARG_SIZE);
        GPCL_NAME(CL_INVALID_KERNEL_ARGS);
        GPCL_NAME(CL_INVALID_WORK_DIMENSION);
        GPCL_NAME(CL_INVALID_WORK_GROUP_SIZE);
        GPCL_NAME(CL_INVALID_WORK_ITEM_SIZE);
        GPCL_NAME(CL_INVALID_GLOBAL_OFFSET);
        GPCL_NAME(CL_INVALID_EVENT_WAIT_LIST);
        GPCL_NAME(CL_INVALID_EVENT);
        GPCL_NAME(CL_INVALID_OPERATION);
        GPCL_NAME(CL_INVALID_BUFFER_SIZE);
        GPCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        GPCL_NAME(CL_INVALID_PROPERTY);
#undef GPCL_NAME
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return text("OpenCL error ", code);
    }
}

} // namespace gpcl::cl
