// One call at work: its operands, the commands that it enqueues, and how it ends.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/buffer.h"
#include "cl/event.h"
#include "cl/plan.h"
#include "cl/signature.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace gpcl::cl {

// An array that an operation reads or writes: device memory and an offset in elements, or a host
// pointer.
struct Operand {
    cl_mem memory = nullptr;
    uint64_t offset = 0;
    void *host = nullptr; // on "host": the first element
    Extent extent{};      // of an operand from a buffer: what it takes

    bool operator==(const Operand &) const = default;
    // The operand that starts so many elements further on (of OpenCL memory).
    Operand operator+(size_t elements) const { return {memory, offset + elements, nullptr}; }

    // One that a plan takes for any array, and that nothing else may touch.
    static Operand stand_in();
};

// Do two operands from buffers share a byte?
inline bool overlap(const Operand &a, const Operand &b) { return overlap(a.extent, b.extent); }

// A two-dimensional image of float32 RGBA pixels; kernels only read it.
struct Image {
    cl_mem memory = nullptr;
    size_t width = 0, height = 0;
};

struct LocalMemory {
    size_t bytes;
};

// Arguments that only some programs of a kernel have: all of them, or none.
template <class... Args> using Arguments = std::optional<std::tuple<Args...>>;

// The struct of a kernel's numbers, at most kMost of them, as kernels/common/given.cl has it. A
// member begins at a multiple of its size, as OpenCL C has it; on some hosts C++ has not.
template <size_t kMost> class Numbers {
  public:
    static constexpr size_t count_of(const Operand *) { return 1; }
    template <class... Args> static constexpr size_t count_of(const Arguments<Args...> *) {
        return (count_of(static_cast<const Args *>(nullptr)) + ...);
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    static constexpr size_t count_of(const T *) { return 1; }

    void add(const Operand &operand) { add(operand.offset); }
    template <class... Args> void add(const Arguments<Args...> &arguments) {
        if (arguments) std::apply([&](const auto &...one) { (add(one), ...); }, *arguments);
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    void add(const T &value) {
        bytes_ = round_up(bytes_, sizeof value);
        std::memcpy(data_.data() + bytes_, &value, sizeof value);
        bytes_ += sizeof value;
    }
    const void *data() const { return data_.data(); }
    size_t bytes() const { return bytes_; }

  private:
    static constexpr size_t kLargest = 8;
    std::array<std::byte, (kMost + 1) * kLargest> data_{};
    size_t bytes_ = 0;
};

// The end of every gp_enqueue_ call's parameter list: what to wait for, and where the event goes.
struct Waits {
    size_t count = 0;
    gp_event *const *events = nullptr;
    gp_event **event = nullptr;
    gp_event **in_options = nullptr;      // which is for the calls on host pointers
    const Signature *signature = nullptr; // of a call that may be repeated
};

// What is thrown where less was lent than a task takes.
struct LentTooLittle : Error {
    using Error::Error;
};

class Task {
  public:
    // A gp_enqueue_ call: begins after the wait list.
    Task(std::shared_ptr<Context> context, const Waits &waits);
    // A call on host pointers; *event, where asked for, receives its event. Should it throw before
    // end(), it waits for the device to let go of the pointers.
    Task(std::shared_ptr<Context> context, gp_event **event);
    // A call that is only planned: what it is asked to do is noted in the plan. It makes no OpenCL
    // call.
    Task(const Context &context, Plan &plan);
    // Does what an earlier call of the signature did, and returns true. False: nothing was done,
    // and the call does all by itself.
    static bool repeat(const std::shared_ptr<Context> &context, const Signature &signature, const Waits &waits);
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;
    ~Task();

    const Context &context() const { return known_; }
    bool is_plan() const { return plan_ != nullptr; }
    bool is_lent() const { return lent_.from.memory != nullptr; } // does it take work space from there?

    // Built, or on its way from another thread's hands; in a plan a stand-in.
    std::shared_ptr<Program> program(const ProgramKey &key);

    // Operands from host pointers: used in place on "host" and where the device shares memory, else
    // copied to the device now, and from it in end().
    Operand input(const void *data, size_t bytes);
    Operand output(void *data, size_t bytes);
    Operand in_out(void *data, size_t bytes);

    // Operand from a buffer: `offset` elements in; holds `count` elements of `size` bytes.
    Operand operand(const gp_buffer *handle, size_t offset, size_t count, size_t size, const char *argument);

    // All of a buffer from an offset in bytes on.
    Operand rest_of(const gp_buffer *handle, size_t offset_bytes, const char *argument);

    // Memory beside the operands, until the end of the task.
    Operand work_space(size_t bytes);

    // The same for `count` elements of `size` bytes, in which its offset counts; of what was lent,
    // if there is any. No memory for no elements. Throws LentTooLittle.
    Operand work_space(size_t count, size_t size);

    // Memory for the work space of elements: `from` counts in bytes. Each piece takes up to
    // kAlignment more of its elements than it has, since `from` may begin anywhere. Without memory,
    // the context's pool serves.
    struct Lent {
        Operand from;
        size_t bytes = 0;
        size_t next = 0, taken = 0; // where the next piece may begin, and how many bytes are reckoned as taken
    };
    // How much a task has taken.
    struct Marks {
        size_t arrays, spaces, cleared_spaces, objects;
    };
    // While it lives, work space of bytes is for a step of the task; later steps may have it again.
    // A task that takes some there is not recorded.
    class Step {
      public:
        explicit Step(Task &task) : task_(task), before_(task.marks()) {}
        Step(const Step &) = delete;
        Step &operator=(const Step &) = delete;
        ~Step() {
            Marks spaces = task_.marks();
            spaces.spaces = before_.spaces;
            task_.give_back_from(spaces);
        }

      private:
        Task &task_;
        Marks before_;
    };
    // A part of a call on host pointers whose arrays the device can't hold as a whole. What the
    // task takes from its beginning on is that part's: end() fetches its outputs, waits, and has
    // the memory back for the next one.
    class Pass {
      public:
        explicit Pass(Task &task) : task_(task), before_(task.marks()) {}
        void end() {
            if (task_.context_->is_host()) return;
            task_.fetch_outputs(before_.arrays);
            if (!task_.settled_) task_.settle();
            task_.give_back_from(before_);
        }

      private:
        Task &task_;
        const Marks before_;
    };

    // Lends from now on; returns what served before.
    Lent lend(const Operand &from, size_t bytes) { return lend(Lent{from, bytes, from.offset}); }
    Lent lend(const Lent &lent) { return std::exchange(lent_, lent); }
    static constexpr size_t kAlignment = 128; // what a GPU reads at once

    // The same, full of zeros, for kernels that leave zeros again: filled only when it is new.
    Operand cleared_space(size_t bytes);

    // The same, holding a copy of `data` that was made when this returns; for tables that kernels
    // read.
    Operand constants(const void *data, size_t bytes);
    // The same of data that the caller keeps for further calls: the context keeps its copy as long.
    Operand constants(const std::shared_ptr<const std::vector<std::byte>> &data);

    // An image with undefined content, until the end of the task.
    Image image(size_t width, size_t height);
    // Fills an image with rows of pixels that lie without gaps.
    void copy_to_image(const Operand &from, const Image &to);

    // Launches a kernel. An Operand becomes two arguments, the pointer and its offset in elements
    // (ulong), and a span of them two for each; LocalMemory one; Arguments as many as there are;
    // everything else is passed by value, and must have exactly the size that the kernel declares.
    template <class... Args> void launch(Program &program, const char *name, const Range &range, const Args &...args) {
        launch_kernel(program, name, range, [&](const Kernel &kernel) {
            cl_uint index = 0;
            (set(kernel, index, args), ...);
        });
    }
    // The same for kernels whose arguments are memory, in the order in which it is given, and
    // behind it one struct of all numbers (kernels/common/given.cl): offsets of operands, and what
    // is passed by value. An operand without memory is NULL. Drivers take time for each argument:
    // NVIDIA's 0.3 to 0.45 us for memory that is not NULL, 0.07 to 0.09 for a number, and next to
    // none for more members of a struct.
    template <class... Args>
    void launch_with_struct(Program &program, const char *name, const Range &range, const Args &...args) {
        launch_kernel(program, name, range, [&](const Kernel &kernel) {
            cl_uint index = 0;
            (set_memory(kernel, index, args), ...);
            Numbers<(Numbers<0>::count_of(static_cast<const Args *>(nullptr)) + ...)> numbers;
            (numbers.add(args), ...);
            numbers.add(uint64_t{0}); // the end
            set(kernel, index, numbers.bytes(), numbers.data());
        });
    }
    void enqueue(const Kernel &kernel, const Range &range);

    // Copies between operands on the device; both offsets count elements of `size` bytes.
    void copy(const Operand &from, const Operand &to, size_t count, size_t size);
    void fill(cl_mem memory, size_t offset_bytes, size_t bytes, const void *pattern, size_t pattern_bytes);
    // Fills so many elements of `size` bytes, 4 or 8, with zeros.
    void clear(const Operand &array, size_t count, size_t size = sizeof(uint32_t));
    // Whose memory of the host's a transfer uses. What a call gives up may go on with the caller's,
    // but not with the library's own, which a call may free or have on its stack.
    enum class Of { kLibrary, kCaller };
    void write(cl_mem memory, size_t offset_bytes, size_t bytes, const void *from, bool blocking,
               Of whose = Of::kLibrary);
    void read(cl_mem memory, size_t offset_bytes, size_t bytes, void *to, bool blocking, Of whose = Of::kLibrary);
    void copy_bytes(cl_mem from, size_t from_offset, cl_mem to, size_t to_offset, size_t bytes);

    // Runs f on the calling thread and notes its time; for "host".
    template <class F> void on_host(gp_command_kind kind, const char *name, F &&f) {
        if (plan_ != nullptr) return;
        const uint64_t start = profiled_ ? now() : 0;
        f();
        note_host(kind, name, start);
    }

    // Runs f(r, Pointers) like that; on a device as a native kernel, in the queue's order, with a
    // copy of the request, whose arrays must be operands.
    template <class Request, class F>
    void on_host(gp_command_kind kind, const char *name, const Request &r, const F &f) {
        if (plan_ != nullptr) return;
        if (context_->is_host()) return on_host(kind, name, [&] { f(r, Pointers()); });
        enqueue_native(kind, name, [r, f](const Pointers &at) { f(r, at); });
    }

    // Ends the task: fetches outputs and waits, if it is a call on host pointers, and hands out the
    // event.
    void end();

    static void set(const Kernel &kernel, cl_uint index, size_t bytes, const void *value);

  private:
    friend class Stream; // transfers of its own

    // Launches a kernel whose arguments set_arguments(kernel) sets.
    template <class F>
    void launch_kernel(Program &program, const char *name, const Range &range, const F &set_arguments) {
        if (plan_ != nullptr) {
            plan_->launches.push_back({name, range});
            return;
        }
        Kernel kernel(program, name);
        set_arguments(kernel);
        enqueue(kernel, range);
        if (recording_) record(program, std::move(kernel), range);
    }
    void set(const Kernel &kernel, cl_uint &index, const Operand &operand);
    void set(const Kernel &kernel, cl_uint &index, std::span<const Operand> operands) {
        for (const Operand &operand : operands) set(kernel, index, operand);
    }
    void set(const Kernel &kernel, cl_uint &index, const Image &image) {
        spoil_recording();
        set(kernel, index++, sizeof image.memory, &image.memory);
    }
    void set(const Kernel &kernel, cl_uint &index, const LocalMemory &local) {
        set(kernel, index++, local.bytes, nullptr);
    }
    template <class... Args> void set(const Kernel &kernel, cl_uint &index, const Arguments<Args...> &arguments) {
        if (arguments) std::apply([&](const auto &...one) { (set(kernel, index, one), ...); }, *arguments);
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    void set(const Kernel &kernel, cl_uint &index, const T &value) { set(kernel, index++, sizeof value, &value); }

    void set_memory(const Kernel &kernel, cl_uint &index, const Operand &operand);
    template <class... Args>
    void set_memory(const Kernel &kernel, cl_uint &index, const Arguments<Args...> &arguments) {
        if (arguments) std::apply([&](const auto &...one) { (set_memory(kernel, index, one), ...); }, *arguments);
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    void set_memory(const Kernel &, cl_uint &, const T &) {}

    // The events that the next command has to wait for.
    WaitList before();
    WaitList earlier();
    // Enqueues through f(wait count, wait list, event) and notes the command.
    template <class F> void command(Command description, const char *function, F &&f, bool blocking = false);
    void note(Command description, Ref<cl_event> event);
    void note_host(gp_command_kind kind, const char *name, uint64_t start);
    void enqueue_native(gp_command_kind kind, const char *name, Native::Function function);
    static uint64_t now();
    Operand planned_space(size_t bytes);
    Operand host_memory(void *data, size_t bytes, cl_mem_flags flags, bool upload, bool download);
    Marks marks() const { return {arrays_.size(), spaces_.size(), cleared_spaces_.size(), objects_.size()}; }
    void give_back_from(const Marks &before); // what was taken since, for those who come later in the queue
    void fetch_outputs(size_t first);         // from that array on
    void make_event();                        // the last step of a constructor
    void make_room();                         // for a command's note

    // What is done is recorded, where recording_ is set.
    void record(Program &program, Kernel kernel, const Range &range);
    void record_space(Recording::From from, size_t bytes, const WorkSpace &space);
    void record_constants();
    void spoil_recording() {
        if (recording_) recording_->spoil();
    }
    // Whether the buffers hold what the recorded call used of them.
    static bool holds(const Signature &signature, const Recording &recording);
    void play(Recording &recording, const Signature &signature);
    void enqueue_fill(cl_mem memory, size_t offset_bytes, size_t bytes, const void *pattern, size_t pattern_bytes);

    // The transfer of an array through the context's link(), if the array is large enough and the
    // link can; else NULL.
    std::shared_ptr<Transfer> stage(Direction direction, const void *host, size_t bytes);
    // Is an array large enough for the link, and has that a lane?
    bool has_lane(Direction direction, size_t bytes);
    // An event that is complete when everything is that was enqueued so far; which settle() waits
    // for.
    Ref<cl_event> marker();
    void settle();
    void finish(std::shared_ptr<Transfer> &transfer);
    void note(gp_command_kind kind, const std::shared_ptr<Transfer> &transfer, size_t piece);
    void enqueue_write(cl_mem memory, size_t offset_bytes, size_t bytes, const void *from, bool blocking);
    // Copies a buffer's bytes through the link: now, or in the queue's order.
    void transfer_now(std::shared_ptr<Transfer> transfer, cl_mem memory, size_t offset_bytes, size_t bytes, void *host);
    void transfer_later(const std::shared_ptr<Transfer> &transfer, cl_mem memory, size_t offset_bytes, size_t bytes,
                        void *host);

    struct HostArray { // a host pointer's stand-in on the device
        void *data;
        size_t bytes;
        Ref<cl_mem> memory;
        WorkSpace space;
        bool in_place; // the kernel works on the caller's own memory
        bool download;
        cl_mem get() const { return in_place ? memory.get() : space.memory.get(); }
    };

    Plan *plan_ = nullptr;             // where it is only planned
    std::shared_ptr<Context> context_; // NULL there
    const Context &known_;
    bool profiled_;
    bool blocking_;
    bool ended_ = false;
    bool settled_ = true; // what it enqueued is complete
    gp_event **event_;
    Turns::Turn turn_; // of a call on host pointers; the first to be taken, the last to be given back
    // What is handed out there, made before anything is enqueued: nothing that may fail comes after
    // a command that uses the caller's memory.
    std::shared_ptr<Event> handed_out_;
    gp_event *handle_ = nullptr;
    std::vector<std::shared_ptr<Event>> waits_;
    std::vector<cl_event> wait_events_; // of waits_, until the first command
    std::vector<Command> commands_;
    Ref<cl_event> last_;
    std::shared_ptr<Transfer> uploads_;                  // of arrays, until the first command
    std::shared_ptr<Transfer> downloads_;                // of outputs
    std::shared_ptr<Transfer> enqueued_;                 // that the event tells of
    std::vector<std::shared_ptr<const Native>> natives_; // that it tells of, too
    std::vector<HostArray> arrays_;
    Lent lent_;
    std::vector<WorkSpace> spaces_;
    std::vector<WorkSpace> cleared_spaces_;
    std::vector<Memory> objects_;                  // images and constants
    std::vector<std::shared_ptr<Buffer>> buffers_; // kept alive while the call runs
    const Signature *signature_ = nullptr;         // where it is recorded
    std::unique_ptr<Recording> recording_;
    std::vector<Recording::Argument> arguments_; // of the kernel that is being set up
};

} // namespace gpcl::cl
