// What stands behind a gp_context: a device with its OpenCL context, queue, programs and work
// space; or the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/memory.h"
#include "cl/native.h"
#include "cl/pinned.h"
#include "cl/program.h"
#include "cl/proofs.h"
#include "cl/recording.h"
#include "core/dtype.h"
#include "core/handle.h"
#include "core/tuning.h"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace gpcl::place {
class Model;
}

namespace gpcl::cl {

class Link;
class Transfer;
enum class Direction;

// A number that no other piece of memory has, unlike a cl_mem, which a driver gives out again.
inline uint64_t new_serial() {
    static std::atomic<uint64_t> last = 0;
    return ++last;
}

// Device memory that an operation needs beside its operands.
struct WorkSpace {
    Memory memory;
    size_t bytes = 0;    // at least as many as were asked for
    bool settled = true; // no command that uses it is under way
    uint64_t serial = 0;
};

// Idle work space, by size.
class SpacePool {
  public:
    // The smallest that holds them, if it has no more than `most`.
    std::optional<WorkSpace> take(size_t bytes, size_t most);
    void give_back(WorkSpace space, size_t most_bytes); // releases it where the pool would come to hold more
    void clear();
    size_t bytes() const;

  private:
    mutable std::mutex mutex_;
    std::vector<WorkSpace> idle_; // the smallest first
    size_t bytes_ = 0;
};

class Context {
  public:
    // Own OpenCL context and queue. `host`: of "auto". `bound`: bytes of the device's memory.
    explicit Context(Device device, std::optional<size_t> bound = std::nullopt,
                     std::shared_ptr<Context> host = nullptr);
    // The caller's.
    Context(cl_context context, cl_device_id device, cl_command_queue queue, std::optional<size_t> bound);
    // Of a device that is only described: for plans, nothing runs on it.
    struct Described {};
    Context(const Device &device, Described);
    // Another queue on the same device, of a context that lives longer: with its programs, and
    // without a link of its own. What runs there neither waits for the first one's commands nor
    // comes between.
    struct Apart {};
    Context(const Context &of, Apart);
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    ~Context();

    const std::shared_ptr<DeviceState> &state() const { return state_; }
    bool is_host() const { return device_.id == nullptr; }
    const gp_device_info &info() const { return device_.info; }
    const Device &device() const { return device_; }
    // Of a context that "auto" opened: the host, for calls on host pointers that end first there.
    const std::shared_ptr<Context> &host() const { return host_; }
    // The host, for calls on host pointers that this device has no memory for.
    const std::shared_ptr<Context> &stand_in();
    bool is_stand_in(const Context &other) const { return &other == host_.get() || &other == has_stand_in_; }
    // What lib/place knows of the two; NULL until it is asked.
    std::atomic<place::Model *> &model() { return model_; }
    // Runs a work-group on one core, so one work-item should do a core's work.
    bool is_cpu() const { return device_.info.kind == GP_DEVICE_CPU; }
    // Mesa's driver, some of whose faults are worked around.
    bool is_rusticl() const { return std::string_view(device_.info.platform) == "rusticl"; }
    // Kernels can work on the caller's own memory. Not on rusticl, which copies it all the same and
    // loses track of mappings that several threads make (Mesa 22.3: clEnqueueUnmapMemObject fails
    // with CL_INVALID_VALUE).
    bool shares_memory() const { return is_cpu() && device_.info.has_unified_memory != 0 && !is_rusticl(); }
    // Do the host's algorithms do its calls? Where the device is the host's own CPU they end sooner
    // than kernels do, and have no programs to build. Forced forms of kernels and a bound on memory
    // are for the device.
    bool host_serves() const {
        return !is_host() && shares_memory() && device_.host_may_serve && !features().is_forced && !is_bounded();
    }
    // May its queue run the host's algorithms on buffers? Not that of a caller.
    bool runs_natively() const { return device_.takes_functions && owns_queue_ && host_serves(); }
    const std::shared_ptr<Natives> &natives() const { return natives_; }
    // Where memory of others lies while native kernels run; on a device that runs some it stays.
    void *address_of(cl_mem memory) const;

    cl_context opencl() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.load(); }
    bool in_order() const { return in_order_; }
    bool profiling() const { return profiling_; }
    void profile(bool enabled);
    void finish() const;
    // The same; where that takes too long the device is lost, and no memory is in use that is
    // freed.
    void finish_or_lose() const;
    // Something was enqueued that need not have ended when the call returns.
    void note_enqueued();
    // Waits for it, and tells of no failure: for calls whose work goes by no queue.
    void await_enqueued();
    // Throws what an enqueued transfer or native kernel failed with, once.
    void tell_failures() const;
    void flush() const;
    // What is enqueued after this runs after what was enqueued before. Only a caller's queue may be
    // out of order; this puts a barrier into it.
    void keep_order() const;

    // A program of gpcl's own. Built once, by the first caller.
    std::shared_ptr<Program> program(const ProgramKey &key) const;
    // Builds programs that are not built yet.
    void build(const std::vector<ProgramKey> &keys);
    // The program of a caller's own source.
    std::shared_ptr<Program> program_from(const std::string &source, const std::string &options);

    const Features &features() const { return device_.features; }

    // Which algorithms were proved to be right here.
    const Proofs &proofs() const { return proofs_; }
    bool is_apart() const { return programs_of_ != nullptr; }

    // Transfers of so many bytes and more go through link().
    size_t least_staged() const { return least_staged_; }
    Link &link();
    // Does the device work on an array of the host's memory where it lies? A bound is as good as
    // memory of its own.
    bool works_in_place(size_t bytes) const {
        return is_host() || (shares_memory() && !is_bounded() && bytes > 0 && bytes < least_staged_);
    }
    // Except for what lies in these.
    PinnedRanges &pinned() { return pinned_; }

    // What gp_open's options or GPCL_DEVICE_MEMORY bound, info() has no more of.
    bool is_bounded() const { return account_->is_bounded(); }
    // Bytes that a call may count on, if no other thread takes any meanwhile.
    size_t room() const;
    Turns::Turn turn() { return is_bounded() && !is_apart() ? Turns::Turn(turns_) : Turns::Turn(); }

    Memory allocate(size_t bytes);
    // An image, whose pixels are float32 RGBA.
    Memory allocate_image(size_t width, size_t height);

    // Read-only memory that holds these bytes. Small ones are kept for the next call that asks for
    // the same.
    Memory constants(const void *data, size_t bytes);
    // The same of data of any size, kept while anyone else keeps the data.
    Memory constants(const std::shared_ptr<const std::vector<std::byte>> &data);

    // Work space goes back to the context after the last command that uses it was enqueued: the
    // queue runs in order, so whoever takes it next comes later.
    WorkSpace take_work_space(size_t bytes);
    void give_back(WorkSpace space);
    // The same of memory full of zeros, which its users leave so: whoever gets none makes a new one
    // and fills it.
    std::optional<WorkSpace> take_cleared_space(size_t bytes);
    void give_back_cleared(WorkSpace space);
    WorkSpace new_work_space(size_t bytes);
    // Gives back idle work space, and the programs of callers' texts that nobody holds.
    void trim();

    // What calls on buffers did lately.
    Recordings &recordings() { return recordings_; }

    // What find_tuned last returned of the parameter with that slot, and 0 if values have been set
    // since.
    size_t tuned(size_t slot, gp_dtype dtype) const {
        return tuned_[tuned_index(slot, dtype)].load(std::memory_order_relaxed);
    }
    // The value that was set, or stood in the tuning file when the context was made, if it is one
    // of those allowed.
    size_t find_tuned(size_t slot, const TuningKey &key, const std::vector<size_t> &allowed, size_t otherwise) const;
    void tune(const TuningKey &key, size_t value); // 0: none
    void save_tuning(const std::string &file) const;

    // Refuses a single allocation that the device can't hold.
    void require_allocation(size_t bytes, const char *what) const;

    // Where memory is bounded, work space that is used again has at most a kBoundedSlack-th more
    // than was asked for.
    static constexpr size_t kBoundedSlack = 16;

  private:
    std::shared_ptr<Program> build_once(const std::string &key, bool callers,
                                        const std::function<std::string()> &source, const std::string &options,
                                        size_t groups_per_unit = 0) const;
    size_t most_for(size_t bytes) const;
    void require_memory(cl_int code, const char *function, const std::string &what) const;
    void bound_to(std::optional<size_t> bytes);
    void release_idle_space();
    Memory new_constants(const void *data, size_t bytes);
    template <class Create> Memory charged(size_t bytes, const Create &create);
    Memory allocate_here(size_t bytes, const void *data = nullptr); // with its first values
    Ref<cl_command_queue> make_queue(cl_command_queue_properties properties) const;

    const std::shared_ptr<DeviceState> state_ = std::make_shared<DeviceState>();
    Device device_;
    std::shared_ptr<Account> account_ = std::make_shared<Account>();
    std::atomic<bool> has_enqueued_ = false;
    std::shared_ptr<Natives> natives_ = std::make_shared<Natives>();
    Turns turns_;
    std::shared_ptr<Context> host_;
    std::once_flag stand_in_made_;
    std::shared_ptr<Context> stand_in_;
    std::atomic<Context *> has_stand_in_{nullptr};
    std::atomic<place::Model *> model_{nullptr};
    Ref<cl_context> context_;
    Ref<cl_command_queue> plain_queue_;
    Ref<cl_command_queue> profiling_queue_; // made when first asked for
    std::atomic<cl_command_queue> queue_{nullptr};
    bool owns_queue_ = true;
    bool in_order_ = true;
    std::atomic<bool> profiling_{false};

    struct Built {
        std::shared_future<std::shared_ptr<Program>> program;
        bool callers; // of a caller's text, of which there may be any number
        bool is_idle() const;
    };
    mutable std::mutex programs_mutex_;
    mutable std::unordered_map<std::string, Built> programs_;
    const Context *programs_of_ = nullptr; // whose programs it has in place of its own

    Proofs proofs_;

    Recordings recordings_;

    SpacePool work_space_, cleared_space_;

    std::mutex constants_mutex_;
    std::deque<std::pair<std::string, Memory>> constants_; // by their bytes, the latest first

    struct Table {
        std::shared_ptr<const std::vector<std::byte>> data;
        Memory memory;
    };
    std::vector<Table> tables_; // of shared constants

    static size_t tuned_index(size_t slot, gp_dtype dtype) {
        return slot * kDtypes.size() + static_cast<size_t>(dtype - GP_INT8);
    }
    mutable std::mutex tuning_mutex_;
    TuningValues tuning_;
    // By tuned_index. They are written under the mutex.
    std::unique_ptr<std::atomic<size_t>[]> tuned_ =
        std::make_unique<std::atomic<size_t>[]>(tuning_slots() * kDtypes.size());

    PinnedRanges pinned_;

    size_t least_staged_ = SIZE_MAX;
    std::once_flag link_made_;
    std::atomic<Link *> has_link_{nullptr};
    std::unique_ptr<Link> link_; // the first to go: it waits for transfers
};

using ContextTable = HandleTable<Context, gp_context>;
ContextTable &contexts();

} // namespace gpcl::cl
