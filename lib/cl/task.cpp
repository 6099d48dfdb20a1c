// Enqueues the commands of one call and keeps account of them.
// SPDX-License-Identifier: MIT
#include "cl/task.h"

#include "cl/link.h"
#include "core/pool.h"
#include "core/size.h"

#include <algorithm>

namespace gpcl::cl {
namespace {
Command named(gp_command_kind kind, const char *name) {
    Command description;
    description.kind = kind;
    description.name = name;
    return description;
}

constexpr size_t kLeastEnqueued = size_t{4} << 20; // a driver takes the bytes of smaller ones at once

// Is an array large enough for a transfer that is enqueued, and begins when a thread hears of it?
bool is_worth(const Context &context, size_t bytes) {
    return bytes >= context.least_staged() && (bytes >= kLeastEnqueued || forced_staging());
}
} // namespace

Operand Operand::stand_in() {
    static char nothing;
    return {reinterpret_cast<cl_mem>(&nothing), 0, nullptr};
}

Task::Task(std::shared_ptr<Context> context, const Waits &waits)
    : context_(std::move(context)), known_(*context_), profiled_(context_->profiling()), blocking_(false),
      event_(waits.event) {
    require(waits.in_options == nullptr, GP_ERROR_OPTION,
            "options->event is for the call on host pointers; expected NULL here, and the argument event");
    waits_ = wait_list(*context_, waits.count, waits.events);
    for (const auto &event : waits_) {
        if (event->last) wait_events_.push_back(event->last.get());
    }
    context_->note_enqueued();
    context_->keep_order();
    if (waits.signature != nullptr && waits.signature->exists()) {
        signature_ = waits.signature;
        recording_ = context_->recordings().begin(signature_->words(), signature_->hash());
    }
    make_event();
}

Task::Task(std::shared_ptr<Context> context, gp_event **event)
    : context_(std::move(context)), known_(*context_), profiled_(context_->profiling()), blocking_(true), event_(event),
      turn_(context_->turn()) {
    context_->keep_order();
    make_event();
}

Task::Task(const Context &context, Plan &plan)
    : plan_(&plan), known_(context), profiled_(false), blocking_(false), event_(nullptr) {}

void Task::make_event() {
    if (event_ == nullptr) return;
    handed_out_ = std::make_shared<Event>();
    handed_out_->context = context_;
    handle_ = events().insert(handed_out_);
}

Task::~Task() {
    if (handle_ != nullptr) events().remove(handle_, "event");
    for (const auto &transfer : {uploads_, downloads_}) {
        if (transfer) transfer->cancel();
    }
    if (blocking_ && !ended_ && !context_->is_host() && !forked()) {
        settled_ = false;
        try {
            settle_all(context_->queue(), context_->info().name);
            settled_ = true;
        } catch (...) {
            // The call tells what went wrong first.
        }
    }
    const auto give_back = [&](WorkSpace &space) {
        space.settled = settled_;
        context_->give_back(std::move(space));
    };
    try {
        for (auto &array : arrays_) {
            if (array.space.memory) give_back(array.space);
        }
        // The last first: a call that is made again takes them in the same order.
        while (!spaces_.empty()) {
            give_back(spaces_.back());
            spaces_.pop_back();
        }
        // What a task that failed has cleared may not be zeros again: it is released.
        while (ended_ && !cleared_spaces_.empty()) {
            context_->give_back_cleared(std::move(cleared_spaces_.back()));
            cleared_spaces_.pop_back();
        }
    } catch (...) {
        // No memory to keep the work space: it is released.
    }
}

void Task::give_back_from(const Marks &before) {
    // A recording has all work space at once, and one memory for each: it would need more than the
    // steps.
    if (spaces_.size() > before.spaces) spoil_recording();
    try {
        for (; arrays_.size() > before.arrays; arrays_.pop_back()) {
            WorkSpace &space = arrays_.back().space;
            space.settled = settled_;
            if (space.memory) context_->give_back(std::move(space));
        }
        for (; spaces_.size() > before.spaces; spaces_.pop_back()) {
            spaces_.back().settled = settled_;
            context_->give_back(std::move(spaces_.back()));
        }
        for (; cleared_spaces_.size() > before.cleared_spaces; cleared_spaces_.pop_back())
            context_->give_back_cleared(std::move(cleared_spaces_.back()));
        objects_.resize(before.objects);
    } catch (...) {
        // No memory to keep the work space: it is released with the task.
    }
}

Operand Task::input(const void *data, size_t bytes) {
    return host_memory(const_cast<void *>(data), bytes, CL_MEM_READ_ONLY, true, false);
}

Operand Task::output(void *data, size_t bytes) { return host_memory(data, bytes, CL_MEM_READ_WRITE, false, true); }

Operand Task::in_out(void *data, size_t bytes) { return host_memory(data, bytes, CL_MEM_READ_WRITE, true, true); }

Operand Task::host_memory(void *data, size_t bytes, cl_mem_flags flags, bool upload, bool download) {
    if (context_->is_host()) return {nullptr, 0, data};
    context_->require_allocation(bytes, "operand");
    const bool in_place = context_->works_in_place(bytes);
    HostArray array{data, bytes, {}, {}, in_place, download};
    if (array.in_place) {
        cl_int code = CL_SUCCESS;
        array.memory = Ref(api().CreateBuffer(context_->opencl(), flags | CL_MEM_USE_HOST_PTR, bytes, data, &code));
        check(code, "clCreateBuffer", text(bytes, " bytes of host memory"));
    } else {
        if (bytes > context_->room())
            fail(GP_ERROR_TOO_LARGE, "an operand of ", bytes, " bytes is more than the memory of ",
                 context_->info().name, " has room for: ", context_->room(), " bytes of ",
                 context_->info().global_bytes,
                 "; free buffers, or raise the bound of GPCL_DEVICE_MEMORY or gp_open_options.memory_bytes");
        array.space = context_->take_work_space(bytes);
        auto transfer = upload ? stage(Direction::kUp, data, bytes) : nullptr;
        if (transfer) {
            if (!array.space.settled) settle();
            if (!uploads_) uploads_ = std::move(transfer);
            uploads_->add(array.get(), 0, bytes, data);
            uploads_->invite();
        } else if (upload && bytes > 0) {
            enqueue_write(array.get(), 0, bytes, data, false);
        }
    }
    arrays_.push_back(std::move(array));
    return {arrays_.back().get(), 0, nullptr};
}

Operand Task::operand(const gp_buffer *handle, size_t offset, size_t count, size_t size, const char *argument) {
    auto buffer = buffer_of(*context_, handle, argument);
    const size_t bytes = multiply(count, size, argument);
    require(offset <= buffer->bytes / size && bytes <= buffer->bytes - offset * size, GP_ERROR_OUT_OF_BOUNDS, argument,
            ": ", count, " elements of ", size, " bytes at offset ", Shown{offset},
            " reach past the end of a buffer of ", buffer->bytes, " bytes");
    buffers_.push_back(buffer);
    if (recording_) {
        const size_t place = signature_->find(handle, offset);
        if (place == SIZE_MAX) recording_->spoil();
        recording_->add({Recording::From::kPlace, place, offset * size, bytes, buffer->memory.get(), buffer->serial});
    }
    const Extent extent = buffer->extent(offset * size, bytes);
    if (context_->is_host()) return {nullptr, 0, buffer->host.get() + offset * size, extent};
    return {buffer->memory.get(), offset, nullptr, extent};
}

Operand Task::rest_of(const gp_buffer *handle, size_t offset_bytes, const char *argument) {
    const size_t bytes = buffer_of(*context_, handle, argument)->bytes;
    return operand(handle, offset_bytes, bytes - std::min(offset_bytes, bytes), 1, argument);
}

std::shared_ptr<Program> Task::program(const ProgramKey &key) {
    if (plan_ == nullptr) return context_->program(key);
    static const auto stand_in = std::make_shared<Program>();
    auto &programs = plan_->programs;
    if (std::find(programs.begin(), programs.end(), key) == programs.end()) programs.push_back(key);
    return stand_in;
}

Operand Task::planned_space(size_t bytes) {
    plan_->work_bytes = add(plan_->work_bytes, bytes, "work space");
    return Operand::stand_in();
}

Operand Task::work_space(size_t count, size_t size) {
    const size_t bytes = multiply(count, size, "work space"), step = kAlignment * size;
    if (bytes == 0) return {};
    if (lent_.from.memory == nullptr) {
        if (plan_ != nullptr)
            plan_->lendable_bytes = add(plan_->lendable_bytes, add(bytes, step, "work space"), "work space");
        return work_space(bytes);
    }
    lent_.taken = add(lent_.taken, add(bytes, step, "work space"), "work space");
    if (lent_.taken > lent_.bytes)
        throw LentTooLittle(GP_ERROR_OUT_OF_BOUNDS, text(lent_.bytes, " bytes of work space are lent; expected more"));
    const size_t begin = round_up(lent_.next, step);
    lent_.next = begin + bytes;
    return {lent_.from.memory, begin / size, nullptr};
}

Operand Task::work_space(size_t bytes) {
    if (plan_ != nullptr) return planned_space(bytes);
    context_->require_allocation(bytes, "work space");
    spaces_.push_back(context_->take_work_space(bytes));
    record_space(Recording::From::kSpace, bytes, spaces_.back());
    return {spaces_.back().memory.get(), 0, nullptr};
}

Operand Task::cleared_space(size_t bytes) {
    if (plan_ != nullptr) return planned_space(bytes);
    context_->require_allocation(bytes, "work space");
    if (auto space = context_->take_cleared_space(bytes)) {
        cleared_spaces_.push_back(std::move(*space));
    } else {
        WorkSpace fresh = context_->new_work_space(bytes);
        const uint32_t zero = 0;
        const bool may_not_run = !wait_events_.empty(); // when an event of the caller's fails
        enqueue_fill(fresh.memory.get(), 0, fresh.bytes, &zero, sizeof zero);
        if (may_not_run) {
            record_space(Recording::From::kClearedSpace, bytes, fresh);
            objects_.push_back(std::move(fresh.memory));
            return {objects_.back().get(), 0, nullptr};
        }
        cleared_spaces_.push_back(std::move(fresh));
    }
    record_space(Recording::From::kClearedSpace, bytes, cleared_spaces_.back());
    return {cleared_spaces_.back().memory.get(), 0, nullptr};
}

Operand Task::constants(const void *data, size_t bytes) {
    if (plan_ != nullptr) return Operand::stand_in();
    context_->require_allocation(bytes, "constants");
    objects_.push_back(context_->constants(data, bytes));
    record_constants();
    return {objects_.back().get(), 0, nullptr};
}

Operand Task::constants(const std::shared_ptr<const std::vector<std::byte>> &data) {
    if (plan_ != nullptr) return Operand::stand_in();
    context_->require_allocation(data->size(), "constants");
    objects_.push_back(context_->constants(data));
    record_constants();
    return {objects_.back().get(), 0, nullptr};
}

void Task::set(const Kernel &kernel, cl_uint index, size_t bytes, const void *value) {
    const cl_int code = api().SetKernelArg(kernel.get(), index, bytes, value);
    if (code == CL_SUCCESS) return;
    const bool memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES;
    fail_with(memory ? GP_ERROR_HOST_MEMORY : GP_ERROR_KERNEL_ARGUMENT, code,
              text("clSetKernelArg returned ", error_name(code), " for argument ", index, " (", bytes,
                   " bytes) of kernel ", kernel.name()));
}

void Task::set(const Kernel &kernel, cl_uint &index, const Operand &operand) {
    set_memory(kernel, index, operand);
    set(kernel, index++, sizeof operand.offset, &operand.offset);
}

void Task::set_memory(const Kernel &kernel, cl_uint &index, const Operand &operand) {
    if (recording_ && operand.memory != nullptr) arguments_.push_back({index, recording_->find(operand.memory), 0});
    set(kernel, index++, sizeof operand.memory, &operand.memory);
}

WaitList Task::before() {
    finish(uploads_);
    return earlier();
}

WaitList Task::earlier() {
    if (!wait_events_.empty()) return {static_cast<cl_uint>(wait_events_.size()), wait_events_.data()};
    if (!context_->in_order() && last_) {
        // Out-of-order queues are the caller's; there each command waits for the one before it.
        wait_events_.push_back(last_.get());
        return {1, wait_events_.data()};
    }
    return {0, nullptr};
}

void Task::record(Program &program, Kernel kernel, const Range &range) {
    if (recording_->is_whole()) {
        for (auto &argument : arguments_) argument.serial = recording_->memories[argument.memory].serial;
        recording_->launch(program, std::move(kernel), range, std::move(arguments_));
    }
    arguments_.clear();
}

void Task::record_space(Recording::From from, size_t bytes, const WorkSpace &space) {
    if (recording_) recording_->add({from, 0, 0, bytes, space.memory.get(), space.serial});
}

void Task::record_constants() {
    if (!recording_) return;
    const cl_mem memory = objects_.back().get();
    recording_->add({Recording::From::kKept, 0, 0, 0, memory, 0, objects_.back()});
}

bool Task::repeat(const std::shared_ptr<Context> &context, const Signature &signature, const Waits &waits) {
    if (!signature.exists()) return false;
    auto recording = context->recordings().take(signature.words(), signature.hash());
    if (!recording) return false;
    if (!holds(signature, *recording)) {
        context->recordings().put(std::move(recording));
        return false; // and the call tells what is missing
    }
    Task task(context, waits);
    task.play(*recording, signature);
    task.end();
    context->recordings().put(std::move(recording));
    return true;
}

bool Task::holds(const Signature &signature, const Recording &recording) {
    return std::all_of(recording.memories.begin(), recording.memories.end(), [&](const Recording::Memory &one) {
        if (one.from != Recording::From::kPlace) return true;
        const size_t there = signature.buffer(one.place).bytes;
        return one.offset <= there && one.bytes <= there - one.offset;
    });
}

void Task::play(Recording &recording, const Signature &signature) {
    struct Current {
        cl_mem memory;
        uint64_t serial;
    };
    std::array<Current, Recording::kMostMemories> current;
    for (size_t i = 0; i < recording.memories.size(); ++i) {
        const Recording::Memory &one = recording.memories[i];
        switch (one.from) {
        case Recording::From::kPlace: {
            const Buffer &buffer = signature.buffer(one.place);
            current[i] = {buffer.memory.get(), buffer.serial};
            break;
        }
        case Recording::From::kSpace:
            work_space(one.bytes);
            current[i] = {spaces_.back().memory.get(), spaces_.back().serial};
            break;
        case Recording::From::kClearedSpace: {
            const Operand space = cleared_space(one.bytes);
            const bool is_kept = !cleared_spaces_.empty() && cleared_spaces_.back().memory.get() == space.memory;
            current[i] = {space.memory, is_kept ? cleared_spaces_.back().serial : new_serial()};
            break;
        }
        case Recording::From::kKept: current[i] = {one.kept.get(), 0}; break;
        }
    }
    for (const Recording::Command &command : recording.commands) {
        switch (command.kind) {
        case Recording::Command::Kind::kLaunch: {
            Recording::Launch &launch = recording.launches[command.index];
            for (auto &argument : launch.arguments) {
                const Current &now = current[argument.memory];
                if (argument.serial == now.serial) continue;
                set(launch.kernel, argument.index, sizeof now.memory, &now.memory);
                argument.serial = now.serial;
            }
            enqueue(launch.kernel, launch.range);
            break;
        }
        case Recording::Command::Kind::kCopy: {
            const Recording::Copy &copy = recording.copies[command.index];
            copy_bytes(current[copy.from].memory, copy.from_offset, current[copy.to].memory, copy.to_offset,
                       copy.bytes);
            break;
        }
        case Recording::Command::Kind::kFill: {
            const Recording::Fill &one = recording.fills[command.index];
            fill(current[one.memory].memory, one.offset, one.bytes, one.pattern.data(), one.pattern_bytes);
            break;
        }
        }
    }
}

template <class F> void Task::command(Command description, const char *function, F &&f, bool blocking) {
    if (plan_ != nullptr) return;
    const WaitList wait = before();
    make_room();
    // rusticl's blocking calls may return early where several threads share a queue; its events do
    // not.
    const bool waits = blocking && (context_->is_rusticl() || blocks(true) == CL_FALSE);
    const bool keep_event = profiled_ || event_ != nullptr || !context_->in_order() || waits;
    cl_event event = nullptr;
    const cl_int code = f(wait.count, wait.events, keep_event ? &event : nullptr);
    if (code != CL_SUCCESS) fail_call(code, function, text(description.name, " on ", context_->info().name));
    wait_events_.clear();
    settled_ = false;
    note(std::move(description), Ref(event));
    if (waits) cl::settle(event, context_->info().name);
    settled_ = blocking;
}

void Task::enqueue_native(gp_command_kind kind, const char *name, Native::Function function) {
    spoil_recording();
    std::vector<Placed> memories;
    const auto add_object = [&](cl_mem memory, void *address) {
        const bool is_new =
            std::none_of(memories.begin(), memories.end(), [&](const Placed &one) { return one.memory == memory; });
        if (memory != nullptr && is_new) memories.push_back({memory, address});
    };
    const auto add = [&](const Memory &memory) { add_object(memory.get(), memory.address()); };
    for (const auto &buffer : buffers_) {
        add(buffer->memory);
        add_object(buffer->parent, buffer->parent_address);
    }
    for (const HostArray &array : arrays_)
        array.in_place ? add_object(array.memory.get(), array.data) : add(array.space.memory);
    for (const auto *spaces : {&spaces_, &cleared_spaces_})
        for (const WorkSpace &space : *spaces) add(space.memory);
    for (const Memory &object : objects_) add(object);

    const auto &home = context_->natives();
    const auto native = std::make_shared<Native>(home, std::move(function), std::move(memories));
    natives_.push_back(native);
    home->add(native);
    try {
        command(named(kind, name), "clEnqueueNativeKernel", [&](cl_uint n, const cl_event *wait, cl_event *event) {
            return native->enqueue(context_->queue(), n, wait, event);
        });
    } catch (...) {
        home->take(*native);
        throw;
    }
}

void Task::make_room() {
    if (profiled_ && commands_.size() == commands_.capacity()) commands_.reserve(2 * commands_.size() + 4);
}

void Task::note(Command description, Ref<cl_event> event) {
    if (profiled_) {
        last_ = Ref<cl_event>::retained(event.get());
        description.event = std::move(event);
        commands_.push_back(std::move(description));
    } else {
        last_ = std::move(event);
    }
}

uint64_t Task::now() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

void Task::note_host(gp_command_kind kind, const char *name, uint64_t start) {
    if (!profiled_) return;
    Command description;
    description.kind = kind;
    description.name = name;
    description.start_ns = start;
    description.end_ns = now();
    commands_.push_back(std::move(description));
}

void Task::enqueue(const Kernel &kernel, const Range &range) {
    Command description;
    if (profiled_) {
        description.kind = GP_KERNEL;
        description.name = kernel.name();
        description.global = range.global;
        description.local = range.local;
        const auto query = [&](cl_kernel_work_group_info what) {
            cl_ulong value = 0;
            api().GetKernelWorkGroupInfo(kernel.get(), context_->device().id, what, sizeof value, &value, nullptr);
            return value;
        };
        description.local_bytes = query(CL_KERNEL_LOCAL_MEM_SIZE);
        description.private_bytes = query(CL_KERNEL_PRIVATE_MEM_SIZE);
    }
    const size_t *local = range.local[0] != 0 ? range.local.data() : nullptr;
    const WaitList wait = before();
    make_room();
    const bool keep_event = profiled_ || event_ != nullptr || !context_->in_order();
    cl_event event = nullptr;
    const cl_int code =
        api().EnqueueNDRangeKernel(context_->queue(), kernel.get(), range.dimensions, nullptr, range.global.data(),
                                   local, wait.count, wait.events, keep_event ? &event : nullptr);
    if (code != CL_SUCCESS) {
        const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
        const bool size = code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE ||
                          code == CL_INVALID_GLOBAL_WORK_SIZE || code == CL_INVALID_WORK_DIMENSION;
        const gp_status status = memory                           ? GP_ERROR_DEVICE_MEMORY
                                 : size                           ? GP_ERROR_WORK_SIZE
                                 : code == CL_INVALID_KERNEL_ARGS ? GP_ERROR_KERNEL_ARGUMENT
                                                                  : GP_ERROR_LAUNCH;
        fail_with(status, code,
                  text("clEnqueueNDRangeKernel returned ", error_name(code), " for kernel ", kernel.name(), " with ",
                       range.global[0], " x ", range.global[1], " x ", range.global[2], " work-items in groups of ",
                       range.local[0], " x ", range.local[1], " x ", range.local[2], " on ", context_->info().name));
    }
    wait_events_.clear();
    settled_ = false;
    note(std::move(description), Ref(event));
}

std::shared_ptr<Transfer> Task::stage(Direction direction, const void *host, size_t bytes) {
    if (bytes == 0 || context_->pinned().contains(host, bytes) || !has_lane(direction, bytes)) return nullptr;
    Link &link = context_->link();
    if (link.pays(direction) == Link::Pays::kNo) return nullptr;
    return std::make_shared<Transfer>(link, direction, profiled_);
}

bool Task::has_lane(Direction direction, size_t bytes) {
    return bytes >= context_->least_staged() && pool_ready() && context_->link().ready(direction, profiled_);
}

Ref<cl_event> Task::marker() {
    const WaitList wait = earlier();
    cl_event event = nullptr;
    check(api().EnqueueMarkerWithWaitList(context_->queue(), wait.count, wait.events, &event),
          "clEnqueueMarkerWithWaitList", context_->info().name);
    wait_events_.clear();
    return Ref(event);
}

void Task::settle() {
    const Ref reached = marker();
    await(reached.get(), context_->info().name);
    settled_ = true;
}

void Task::finish(std::shared_ptr<Transfer> &transfer) {
    if (!transfer) return;
    const std::shared_ptr<Transfer> finished = std::exchange(transfer, nullptr);
    const gp_command_kind kind = finished->direction() == Direction::kUp ? GP_UPLOAD : GP_DOWNLOAD;
    finished->finish();
    for (size_t i = 0; i < finished->size(); ++i) note(kind, finished, i);
}

void Task::note(gp_command_kind kind, const std::shared_ptr<Transfer> &transfer, size_t piece) {
    if (!profiled_) return;
    Command description = named(kind, kind == GP_UPLOAD ? "upload" : "download");
    description.transfer = transfer;
    description.piece = piece;
    commands_.push_back(std::move(description));
}

void Task::transfer_now(std::shared_ptr<Transfer> transfer, cl_mem memory, size_t offset_bytes, size_t bytes,
                        void *host) {
    settle();
    transfer->add(memory, offset_bytes, bytes, host);
    transfer->invite();
    finish(transfer);
}

// Later commands wait for an event of the transfer's own, which waits for earlier ones.
void Task::transfer_later(const std::shared_ptr<Transfer> &transfer, cl_mem memory, size_t offset_bytes, size_t bytes,
                          void *host) {
    const std::string &device = context_->info().name;
    const bool up = transfer->direction() == Direction::kUp;
    transfer->add(memory, offset_bytes, bytes, host);
    Ref reached = marker();
    check(api().Flush(context_->queue()), "clFlush", device);
    cl_int code = CL_SUCCESS;
    Ref over(api().CreateUserEvent(context_->opencl(), &code));
    check(code, "clCreateUserEvent", device);
    const Ref still_over = Ref<cl_event>::retained(over.get());
    cl_event event = over.get(), passed = nullptr;
    check(api().EnqueueBarrierWithWaitList(context_->queue(), 1, &event, &passed), "clEnqueueBarrierWithWaitList",
          device);
    try {
        last_ = Ref(passed);
        settled_ = false;
        note(up ? GP_UPLOAD : GP_DOWNLOAD, transfer, 0);
        enqueued_ = transfer;
        transfer->start_after(std::move(reached), std::move(over), event_ != nullptr);
    } catch (...) { // or the queue would wait for ever
        if (const Api *api = usable_api()) api->SetUserEventStatus(event, CL_COMPLETE);
        throw;
    }
}

void Task::write(cl_mem memory, size_t offset_bytes, size_t bytes, const void *from, bool blocking, Of whose) {
    if (bytes == 0) return;
    spoil_recording();
    if (blocking && whose == Of::kLibrary && blocks(true) == CL_FALSE) {
        const auto *bytes_from = static_cast<const std::byte *>(from);
        const Kept kept(std::vector(bytes_from, bytes_from + bytes));
        return enqueue_write(memory, offset_bytes, bytes, kept.data(), true);
    }
    if (auto transfer = blocking || is_worth(*context_, bytes) ? stage(Direction::kUp, from, bytes) : nullptr) {
        void *host = const_cast<void *>(from);
        return blocking ? transfer_now(std::move(transfer), memory, offset_bytes, bytes, host)
                        : transfer_later(transfer, memory, offset_bytes, bytes, host);
    }
    enqueue_write(memory, offset_bytes, bytes, from, blocking);
}

void Task::enqueue_write(cl_mem memory, size_t offset_bytes, size_t bytes, const void *from, bool blocking) {
    spoil_recording();
    command(
        named(GP_UPLOAD, "upload"), "clEnqueueWriteBuffer",
        [&](cl_uint n, const cl_event *wait, cl_event *event) {
            return api().EnqueueWriteBuffer(context_->queue(), memory, blocks(blocking), offset_bytes, bytes, from, n,
                                            wait, event);
        },
        blocking);
}

void Task::read(cl_mem memory, size_t offset_bytes, size_t bytes, void *to, bool blocking, Of whose) {
    if (bytes == 0) return;
    spoil_recording();
    if (blocking && whose == Of::kLibrary && blocks(true) == CL_FALSE) {
        Kept<std::byte> kept(bytes);
        read(memory, offset_bytes, bytes, kept.data(), true, Of::kCaller);
        std::memcpy(to, kept.data(), bytes);
        return;
    }
    if (auto transfer = blocking || is_worth(*context_, bytes) ? stage(Direction::kDown, to, bytes) : nullptr) {
        return blocking ? transfer_now(std::move(transfer), memory, offset_bytes, bytes, to)
                        : transfer_later(transfer, memory, offset_bytes, bytes, to);
    }
    command(
        named(GP_DOWNLOAD, "download"), "clEnqueueReadBuffer",
        [&](cl_uint n, const cl_event *wait, cl_event *event) {
            return api().EnqueueReadBuffer(context_->queue(), memory, blocks(blocking), offset_bytes, bytes, to, n,
                                           wait, event);
        },
        blocking);
}

void Task::copy_bytes(cl_mem from, size_t from_offset, cl_mem to, size_t to_offset, size_t bytes) {
    if (bytes == 0) return;
    if (recording_) recording_->copy(from, from_offset, to, to_offset, bytes);
    command(named(GP_COPY, "copy"), "clEnqueueCopyBuffer", [&](cl_uint n, const cl_event *wait, cl_event *event) {
        return api().EnqueueCopyBuffer(context_->queue(), from, to, from_offset, to_offset, bytes, n, wait, event);
    });
}

Image Task::image(size_t width, size_t height) {
    if (plan_ != nullptr) return {planned_space(width * height * 4 * sizeof(float)).memory, width, height};
    objects_.push_back(context_->allocate_image(width, height));
    return {objects_.back().get(), width, height};
}

void Task::copy_to_image(const Operand &from, const Image &to) {
    spoil_recording();
    const std::array<size_t, 3> origin{}, region{to.width, to.height, 1};
    const size_t pixel_bytes = 4 * sizeof(float);
    command(named(GP_COPY, "copy to image"), "clEnqueueCopyBufferToImage",
            [&](cl_uint n, const cl_event *wait, cl_event *event) {
                return api().EnqueueCopyBufferToImage(context_->queue(), from.memory, to.memory,
                                                      from.offset * pixel_bytes, origin.data(), region.data(), n, wait,
                                                      event);
            });
}

void Task::copy(const Operand &from, const Operand &to, size_t count, size_t size) {
    copy_bytes(from.memory, from.offset * size, to.memory, to.offset * size, count * size);
}

void Task::fill(cl_mem memory, size_t offset_bytes, size_t bytes, const void *pattern, size_t pattern_bytes) {
    if (bytes == 0) return;
    if (recording_) recording_->fill(memory, offset_bytes, bytes, pattern, pattern_bytes);
    enqueue_fill(memory, offset_bytes, bytes, pattern, pattern_bytes);
}

void Task::enqueue_fill(cl_mem memory, size_t offset_bytes, size_t bytes, const void *pattern, size_t pattern_bytes) {
    command(named(GP_FILL, "fill"), "clEnqueueFillBuffer", [&](cl_uint n, const cl_event *wait, cl_event *event) {
        return api().EnqueueFillBuffer(context_->queue(), memory, pattern, pattern_bytes, offset_bytes, bytes, n, wait,
                                       event);
    });
}

void Task::clear(const Operand &array, size_t count, size_t size) {
    const uint64_t zero = 0;
    fill(array.memory, array.offset * size, count * size, &zero, size);
}

void Task::fetch_outputs(size_t first) {
    finish(uploads_);
    std::vector<const HostArray *> others;
    for (size_t i = first; i < arrays_.size(); ++i) { // the large ones come side by side
        const HostArray &array = arrays_[i];
        if (!array.download || array.bytes == 0) continue;
        auto transfer = array.in_place ? nullptr : stage(Direction::kDown, array.data, array.bytes);
        if (!transfer) {
            others.push_back(&array);
            continue;
        }
        if (!settled_) settle();
        if (!downloads_) downloads_ = std::move(transfer);
        downloads_->add(array.get(), 0, array.bytes, array.data);
        downloads_->invite();
    }
    for (const HostArray *each : others) {
        const HostArray &array = *each;
        if (!array.in_place) {
            read(array.get(), 0, array.bytes, array.data, true, Of::kCaller);
            continue;
        }
        // Mapping is what makes the kernel's writes to the caller's memory visible.
        void *mapped = map_memory(context_->queue(), array.get(), CL_MAP_READ, 0, array.bytes, before(),
                                  "an output in host memory");
        cl_event unmapped = nullptr;
        check(api().EnqueueUnmapMemObject(context_->queue(), array.get(), mapped, 0, nullptr, &unmapped),
              "clEnqueueUnmapMemObject");
        last_ = Ref(unmapped);
        await(unmapped, "an output in host memory");
        settled_ = true;
    }
    finish(downloads_);
}

void Task::end() {
    const bool on_device = !context_->is_host();
    if (on_device && blocking_) {
        fetch_outputs(0); // which waits, in this thread's own place in the queue
    } else if (on_device && event_ != nullptr && !last_) {
        // Nothing ran (n = 0): the event still stands for the wait list.
        command(named(GP_COPY, "marker"), "clEnqueueMarkerWithWaitList",
                [&](cl_uint n, const cl_event *wait, cl_event *event) {
                    return api().EnqueueMarkerWithWaitList(context_->queue(), n, wait, event);
                });
        commands_.clear();
    }
    if (blocking_)
        for (const auto &native : natives_) native->check();
    ended_ = true;
    if (recording_ && recording_->is_whole()) context_->recordings().put(std::move(recording_));
    if (event_ == nullptr) return;
    handed_out_->profiled = profiled_;
    handed_out_->commands = std::move(commands_);
    handed_out_->last = std::move(last_);
    handed_out_->transfer = std::move(enqueued_);
    handed_out_->natives = std::move(natives_);
    *event_ = std::exchange(handle_, nullptr);
}

} // namespace gpcl::cl
