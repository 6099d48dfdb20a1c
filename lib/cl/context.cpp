// Contexts: queue, programs in memory, work space; and their C entry points.
// SPDX-License-Identifier: MIT
#include "cl/context.h"

#include "cl/link.h"
#include "cl/members.h"
#include "cl/source.h"
#include "core/options.h"
#include "core/scratch.h"
#include "core/size.h"
#include "core/system.h"
#include "core/threads.h"

#include <cstring>
#include <system_error>

namespace gpcl::cl {

ContextTable &contexts() {
    static auto *table = new ContextTable("gp_context"); // never destroyed: no OpenCL call when the process ends
    return *table;
}

namespace {
// Contexts of CPUs to which something was enqueued. A driver's thread compiles a kernel when the
// kernel first runs. exit() destroys what the compiler uses, and a compiler that still works then
// crashes the process. So exit() waits for the contexts first. It does not wait for long: a command
// may wait for an event that nobody completes any more.
class BusyCpus {
  public:
    static BusyCpus &the() {
        static auto *all = new BusyCpus; // threads may outlive statics
        return *all;
    }

    void add(Context *context) {
        wait_at_exit();
        const std::lock_guard lock(mutex_);
        if (std::find(contexts_.begin(), contexts_.end(), context) == contexts_.end()) contexts_.push_back(context);
    }

    void remove(Context *context) {
        const std::lock_guard lock(mutex_);
        std::erase(contexts_, context);
    }

    // Has exit() wait, where this thread is the main one. Thread-local objects are destroyed before
    // any handler of atexit() runs. A handler would come too late: those that a compiler adds while
    // it works are later ones, and run before it.
    static void wait_at_exit() {
        struct Waiter {
            Waiter() = default;
            Waiter(const Waiter &) = delete;
            Waiter &operator=(const Waiter &) = delete;
            ~Waiter() {
                if (is_main_thread()) the().wait();
            }
        };
        static thread_local const Waiter waiter;
        static_cast<void>(waiter);
    }

  private:
    void wait() {
        constexpr uint64_t kAtMost = 10'000; // milliseconds
        if (forked()) return;
        const std::lock_guard lock(mutex_);
        const Time end = from_now(kAtMost);
        for (const Context *context : contexts_) {
            const CallScope call(context->state(), end);
            try {
                await_all(context->queue(), context->info().name);
            } catch (...) {
                // What failed has nobody to tell any more.
            }
        }
    }

    std::mutex mutex_;
    std::vector<Context *> contexts_;
};
} // namespace

void Context::bound_to(std::optional<size_t> bytes) {
    if (!bytes) return;
    account_ = std::make_shared<Account>(*bytes);
    device_.info.global_bytes = std::min<uint64_t>(device_.info.global_bytes, *bytes);
    device_.info.allocation_bytes = std::min<uint64_t>(device_.info.allocation_bytes, *bytes);
}

Context::Context(Device device, std::optional<size_t> bound, std::shared_ptr<Context> host)
    : device_(std::move(device)), host_(std::move(host)), tuning_(read_tuning(tuning_file(), device_.info.name)) {
    if (is_host()) return;
    bound_to(bound);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(device_.platform), 0};
    cl_int code = CL_SUCCESS;
    context_ = Ref(api().CreateContext(properties, 1, &device_.id, nullptr, nullptr, &code));
    check(code, "clCreateContext", device_.info.name);
    in_order_ = !device_.out_of_order;
    plain_queue_ = make_queue(0);
    queue_ = plain_queue_.get();
    least_staged_ = cl::least_staged(device_.info);
    state_->answers = [this] { return gives_sign_of_life(queue()); };
    if (is_cpu()) BusyCpus::wait_at_exit();
    proofs_.begin();
}

Context::Context(const Context &of, Apart)
    : state_(of.state_), device_(of.device_), account_(of.account_),
      context_(Ref<cl_context>::retained(of.context_.get())), programs_of_(&of) {
    plain_queue_ = make_queue(0);
    queue_ = plain_queue_.get();
    const std::lock_guard lock(of.tuning_mutex_);
    tuning_ = of.tuning_;
}

Context::Context(cl_context context, cl_device_id device, cl_command_queue queue, std::optional<size_t> bound)
    : owns_queue_(false) {
    cl_context queue_context = nullptr;
    cl_device_id queue_device = nullptr;
    cl_command_queue_properties properties = 0;
    const auto query = [&](cl_command_queue_info what, auto &value) {
        check(api().GetCommandQueueInfo(queue, what, sizeof value, &value, nullptr), "clGetCommandQueueInfo",
              "the caller's queue");
    };
    query(CL_QUEUE_CONTEXT, queue_context);
    query(CL_QUEUE_DEVICE, queue_device);
    query(CL_QUEUE_PROPERTIES, properties);
    require(queue_context == context, GP_ERROR_WRONG_CONTEXT,
            "queue belongs to another cl_context; expected opencl_context");
    require(queue_device == device, GP_ERROR_WRONG_CONTEXT, "queue belongs to another cl_device_id; expected device");
    cl_platform_id platform = nullptr;
    check(api().GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr), "clGetDeviceInfo");
    device_ = describe(platform, device);
    bound_to(bound);
    // Of programs for several devices there is no binary to edit (Program::binary).
    cl_uint devices = 0;
    check(api().GetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, nullptr), "clGetContextInfo");
    if (devices != 1) device_.features.has &= ~FeatureSet{kWarpGroups};
    context_ = Ref<cl_context>::retained(context);
    plain_queue_ = Ref<cl_command_queue>::retained(queue);
    queue_ = queue;
    tuning_ = read_tuning(tuning_file(), device_.info.name);
    in_order_ = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    profiling_ = false;
    least_staged_ = cl::least_staged(device_.info);
    state_->answers = [this] { return gives_sign_of_life(this->queue()); };
    if (is_cpu()) BusyCpus::wait_at_exit();
    proofs_.begin();
}

Context::Context(const Device &device, Described) : device_(device) {}

Context::~Context() {
    if (is_cpu() && !forked()) BusyCpus::the().remove(this);
    if (queue() != nullptr && !forked()) {
        try {
            settle_all(queue(), device_.info.name);
        } catch (...) {
            // What failed has nobody to tell any more.
        }
    }
    if (state_->is_lost())
        static_cast<void>(link_.release()); // its threads may never come back
    else if (!forked())
        natives_->drop();
}

Ref<cl_command_queue> Context::make_queue(cl_command_queue_properties properties) const {
    if (!in_order_) properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_int code = CL_SUCCESS;
    Ref queue(api().CreateCommandQueue(context_.get(), device_.id, properties, &code));
    check(code, "clCreateCommandQueue", device_.info.name);
    return queue;
}

void Context::profile(bool enabled) {
    if (!is_host()) {
        await_all(queue(), device_.info.name);
        if (owns_queue_) {
            if (enabled && !profiling_queue_) profiling_queue_ = make_queue(CL_QUEUE_PROFILING_ENABLE);
            queue_ = enabled ? profiling_queue_.get() : plain_queue_.get();
        } else if (enabled) {
            cl_command_queue_properties properties = 0;
            check(api().GetCommandQueueInfo(queue(), CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
                  "clGetCommandQueueInfo");
            require((properties & CL_QUEUE_PROFILING_ENABLE) != 0, GP_ERROR_NO_PROFILING,
                    "the caller's queue was created without CL_QUEUE_PROFILING_ENABLE");
        }
    }
    profiling_ = enabled;
    if (host_) host_->profile(enabled);
    if (Context *const stand_in = has_stand_in_) stand_in->profile(enabled);
}

const std::shared_ptr<Context> &Context::stand_in() {
    if (host_) return host_;
    std::call_once(stand_in_made_, [&] {
        stand_in_ = std::make_shared<Context>(select_device("host"));
        stand_in_->profile(profiling_);
        has_stand_in_ = stand_in_.get();
    });
    return stand_in_;
}

Link &Context::link() {
    std::call_once(link_made_, [&] {
        link_ = std::make_unique<Link>(context_.get(), device_.id, device_.info.name, state_);
        has_link_ = link_.get();
    });
    return *link_;
}

void Context::finish() const {
    if (is_host()) return;
    await_all(queue(), device_.info.name);
    tell_failures();
}

void Context::finish_or_lose() const {
    if (is_host()) return;
    settle_all(queue(), device_.info.name);
    tell_failures();
}

void Context::note_enqueued() {
    if (has_enqueued_.load(std::memory_order_relaxed)) return;
    if (is_cpu()) BusyCpus::the().add(this);
    has_enqueued_.store(true, std::memory_order_relaxed);
}

void Context::await_enqueued() {
    if (!has_enqueued_.exchange(false)) return;
    try {
        await_all(queue(), device_.info.name);
    } catch (...) {
        has_enqueued_ = true;
        throw;
    }
}

void Context::keep_order() const {
    if (is_host() || in_order_) return;
    check(api().EnqueueBarrierWithWaitList(queue(), 0, nullptr, nullptr), "clEnqueueBarrierWithWaitList",
          device_.info.name);
}

void Context::tell_failures() const {
    if (Link *link = has_link_) link->tell_failure();
    natives_->tell_failure();
}

void Context::flush() const {
    if (!is_host()) check(api().Flush(queue()), "clFlush", device_.info.name);
}

std::shared_ptr<Program> Context::build_once(const std::string &key, bool callers,
                                             const std::function<std::string()> &source, const std::string &options,
                                             size_t groups_per_unit) const {
    std::promise<std::shared_ptr<Program>> promise;
    {
        std::unique_lock lock(programs_mutex_);
        const auto found = programs_.find(key);
        if (found != programs_.end()) {
            const auto future = found->second.program;
            lock.unlock();
            return future.get(); // rethrows the builder's error
        }
        programs_.emplace(key, Built{promise.get_future().share(), callers});
    }
    try {
        auto program = std::make_shared<Program>(context_.get(), device_, source(), options, groups_per_unit);
        promise.set_value(program);
        return program;
    } catch (...) {
        {
            const std::lock_guard lock(programs_mutex_);
            programs_.erase(key); // the next caller tries anew
        }
        promise.set_exception(std::current_exception());
        throw;
    }
}

std::shared_ptr<Program> Context::program(const ProgramKey &key) const {
    if (programs_of_ != nullptr) return programs_of_->program(key);
    return build_once(
        text(key.path, '\0', key.options, '\0', key.groups_per_unit, '\0', key.preamble), !key.preamble.empty(),
        [&] {
            std::string source = assemble_source(key.path, key.preamble, "operator");
            return device_.may_unroll ? source : without_unrolling(std::move(source));
        },
        build_options(device_, key), key.groups_per_unit);
}

// Several at a time on GPUs, whose drivers compile beside each other; those of CPUs take turns.
void Context::build(const std::vector<ProgramKey> &keys) {
    constexpr size_t kMostThreads = 8;
    const size_t threads = is_cpu() ? 1 : std::min({keys.size(), kMostThreads, workers()});
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i; (i = next++) < keys.size();) program(keys[i]);
    };
    const auto help = [&] {
        const CallScope call(state_);
        work();
    };
    std::vector<std::future<void>> others;
    try {
        while (others.size() + 1 < threads) others.push_back(std::async(std::launch::async, help));
    } catch (const std::system_error &) {
        // No more threads: fewer do.
    }
    work();
    for (auto &other : others) other.get();
}

std::shared_ptr<Program> Context::program_from(const std::string &source, const std::string &options) {
    const auto build = [&](const std::string &all) {
        return build_once(
            text('\0', all, '\0', source), true, [&] { return source; }, all);
    };
    try {
        return build(text(options, ' ', Program::kTellParameters));
    } catch (const Error &error) {
        if (error.opencl != CL_INVALID_BUILD_OPTIONS) throw;
        return build(options); // before OpenCL 1.2; or the mistake is the caller's
    }
}

// Of a program that was built and is in no call's hands, nor in those of a gp_kernel.
bool Context::Built::is_idle() const {
    return program.wait_for(std::chrono::seconds(0)) == std::future_status::ready && program.get().use_count() == 1;
}

void Context::require_allocation(size_t bytes, const char *what) const {
    const bool bounded = device_.info.allocation_bytes == account_->bound();
    require(bytes <= device_.info.allocation_bytes, GP_ERROR_TOO_LARGE, what, " takes ", Shown{bytes}, " bytes; ",
            device_.info.name, " holds at most ", device_.info.allocation_bytes, " in one buffer",
            bounded ? ", which is all that GPCL_DEVICE_MEMORY or gp_open_options.memory_bytes allows" : "");
}

// Memory that is missing is told alike, whatever a driver calls it.
void Context::require_memory(cl_int code, const char *function, const std::string &what) const {
    if (code == CL_SUCCESS) return;
    const std::string about = text(what, " on ", device_.info.name);
    require_device(code, text(function, " returned ", error_name(code), " for ", about));
    const bool lacking = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
                         (code == CL_OUT_OF_HOST_MEMORY && shares_memory());
    check(lacking ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code, function, about);
}

size_t Context::room() const {
    // Of a whole device's memory a driver takes some for itself.
    const size_t all = device_.info.global_bytes, most = account_->bound() <= all ? account_->bound() : all / 8 * 7;
    const size_t idle = work_space_.bytes() + cleared_space_.bytes(), taken = account_->taken();
    return most - std::min(most, taken - std::min(taken, idle));
}

template <class Create> Memory Context::charged(size_t bytes, const Create &create) {
    try {
        return Memory(account_, bytes, create);
    } catch (const Error &error) {
        if (error.status != GP_ERROR_DEVICE_MEMORY) throw;
    }
    release_idle_space(); // it may be what is missing
    return Memory(account_, bytes, create);
}

// Asked for one by one: PoCL 3.1 mixes up the addresses of several (it sorts its copy of the list).
// On a queue of its own nothing comes before.
void *Context::address_of(cl_mem memory) const {
    if (!runs_natively()) return nullptr;
    struct Question {
        void **answer;
        void *address;
    };
    auto result = std::make_unique<void *>();
    Question question{result.get(), nullptr};
    const void *const place = &question.address;
    const auto answer = [](void *arguments) {
        const auto *const asked = static_cast<const Question *>(arguments);
        *asked->answer = asked->address;
    };
    const Ref queue = make_queue(0);
    check(api().EnqueueNativeKernel(queue.get(), answer, &question, sizeof question, 1, &memory,
                                    const_cast<const void **>(&place), 0, nullptr, nullptr),
          "clEnqueueNativeKernel", device_.info.name);
    try {
        await_all(queue.get(), device_.info.name);
    } catch (...) {
        static_cast<void>(result.release()); // the device may still answer
        throw;
    }
    return *result;
}

Memory Context::allocate(size_t bytes) {
    require_allocation(bytes, "buffer");
    if (runs_natively()) return allocate_here(bytes);
    // Without the second flag PoCL allocates when a buffer is first used, and ends the process
    // where that fails.
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (shares_memory() ? CL_MEM_ALLOC_HOST_PTR : cl_mem_flags{0});
    const size_t size = std::max(bytes, size_t{1});
    return charged(size, [&] {
        cl_int code = CL_SUCCESS;
        Ref memory(api().CreateBuffer(context_.get(), flags, size, nullptr, &code));
        require_memory(code, "clCreateBuffer", text(bytes, " bytes"));
        return memory;
    });
}

namespace {
constexpr std::align_val_t kPage{4096};
struct FreePage {
    void operator()(void *page) const { operator delete(page, kPage); }
};
} // namespace

// The library's own memory, so that its address is known. Intel's runtime works where it lies if it
// begins with a page and fills cache lines.
Memory Context::allocate_here(size_t bytes, const void *data) {
    const size_t size = round_up(std::max(bytes, size_t{1}), size_t{64});
    void *address = nullptr;
    Memory result = charged(size, [&] {
        std::unique_ptr<void, FreePage> page(operator new(size, kPage, std::nothrow));
        cl_int code = page != nullptr ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        require_memory(code, "operator new", text(bytes, " bytes"));
        address = page.get();
        if (data != nullptr) std::memcpy(address, data, bytes);
        Ref memory(api().CreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, address, &code));
        require_memory(code, "clCreateBuffer", text(bytes, " bytes"));
        // Commands may use it longer than the library holds it.
        check(api().SetMemObjectDestructorCallback(
                  memory.get(), [](cl_mem, void *unused) { FreePage()(unused); }, address),
              "clSetMemObjectDestructorCallback", device_.info.name);
        static_cast<void>(page.release());
        return memory;
    });
    result.set_address(address);
    return result;
}

Memory Context::allocate_image(size_t width, size_t height) {
    return charged(width * height * 4 * sizeof(float), [&] {
        const cl_image_format format = {CL_RGBA, CL_FLOAT};
        cl_image_desc description = {};
        description.image_type = CL_MEM_OBJECT_IMAGE2D;
        description.image_width = width;
        description.image_height = height;
        cl_int code = CL_SUCCESS;
        Ref memory(api().CreateImage(context_.get(), CL_MEM_READ_ONLY, &format, &description, nullptr, &code));
        require_memory(code, "clCreateImage", text(width, " x ", height, " pixels"));
        return memory;
    });
}

Memory Context::new_constants(const void *data, size_t bytes) {
    if (runs_natively()) return allocate_here(bytes, data);
    return charged(bytes, [&] {
        cl_int code = CL_SUCCESS;
        Ref memory(api().CreateBuffer(context_.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                      const_cast<void *>(data), &code));
        require_memory(code, "clCreateBuffer", text(bytes, " bytes of constants"));
        return memory;
    });
}

Memory Context::constants(const std::shared_ptr<const std::vector<std::byte>> &data) {
    const auto find = [&]() -> Memory {
        const std::lock_guard lock(constants_mutex_);
        std::erase_if(tables_, [&](const Table &one) { return one.data.use_count() == 1; });
        const auto found =
            std::find_if(tables_.begin(), tables_.end(), [&](const Table &one) { return one.data == data; });
        return found != tables_.end() ? found->memory : Memory();
    };
    if (Memory known = find()) return known;
    Memory made = new_constants(data->data(), data->size());
    const std::lock_guard lock(constants_mutex_);
    tables_.push_back({data, made});
    return made;
}

Memory Context::constants(const void *data, size_t bytes) {
    constexpr size_t kSmall = 16 << 10;
    constexpr size_t kKept = 16;
    if (bytes > kSmall) return new_constants(data, bytes);
    std::string key(static_cast<const char *>(data), bytes);
    {
        const std::lock_guard lock(constants_mutex_);
        for (const auto &[known, memory] : constants_)
            if (known == key) return memory;
    }
    Memory made = new_constants(data, bytes);
    const std::lock_guard lock(constants_mutex_);
    constants_.emplace_front(std::move(key), made);
    if (constants_.size() > kKept) constants_.pop_back();
    return made;
}

namespace {
constexpr size_t kLeastWorkSpace = 4096; // bytes; small requests share blocks

// Where work space of so many bytes stands, or would.
template <class Spaces> auto place_of(Spaces &spaces, size_t bytes) {
    return std::lower_bound(spaces.begin(), spaces.end(), bytes,
                            [](const WorkSpace &space, size_t least) { return space.bytes < least; });
}

} // namespace

std::optional<WorkSpace> SpacePool::take(size_t bytes, size_t most) {
    const std::lock_guard lock(mutex_);
    const auto found = place_of(idle_, bytes);
    if (found == idle_.end() || found->bytes > most) return std::nullopt;
    WorkSpace space = std::move(*found);
    idle_.erase(found);
    bytes_ -= space.bytes;
    return space;
}

void SpacePool::give_back(WorkSpace space, size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ + space.bytes > most_bytes) return;
    const auto place = place_of(idle_, space.bytes);
    const size_t more = space.bytes;
    idle_.insert(place, std::move(space));
    bytes_ += more;
}

size_t SpacePool::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void SpacePool::clear() {
    std::vector<WorkSpace> idle; // released after the lock
    const std::lock_guard lock(mutex_);
    idle.swap(idle_);
    bytes_ = 0;
}

WorkSpace Context::new_work_space(size_t bytes) {
    const size_t size = std::max(bytes, kLeastWorkSpace);
    return {allocate(size), size, true, new_serial()};
}

// What is used may be twice what is needed, but not where memory is bounded.
size_t Context::most_for(size_t bytes) const {
    const size_t least = std::max(bytes, kLeastWorkSpace);
    return is_bounded() ? least + least / kBoundedSlack : 2 * least + 1;
}

WorkSpace Context::take_work_space(size_t bytes) {
    auto space = work_space_.take(bytes, most_for(bytes));
    return space ? std::move(*space) : new_work_space(bytes);
}

std::optional<WorkSpace> Context::take_cleared_space(size_t bytes) {
    return cleared_space_.take(bytes, most_for(bytes));
}

// Out of order they are released; OpenCL keeps them until their last command is done. What a bound
// allows may all be kept: pieces that follow each other take the same.
void Context::give_back(WorkSpace space) {
    const size_t all = device_.info.global_bytes;
    if (in_order_) work_space_.give_back(std::move(space), is_bounded() ? all : all / 16);
}

void Context::give_back_cleared(WorkSpace space) {
    if (in_order_) cleared_space_.give_back(std::move(space), device_.info.global_bytes / 64);
}

void Context::release_idle_space() {
    recordings_.clear();
    work_space_.clear();
    cleared_space_.clear();
    const std::lock_guard lock(constants_mutex_);
    constants_.clear();
    tables_.clear();
}

void Context::trim() {
    release_idle_space();
    if (Link *link = has_link_; link != nullptr && !forked()) link->trim();
    decltype(programs_) idle; // released after the lock
    const std::lock_guard lock(programs_mutex_);
    for (auto next = programs_.begin(); next != programs_.end();) {
        const auto each = next++;
        if (each->second.callers && each->second.is_idle()) idle.insert(programs_.extract(each));
    }
}

size_t Context::find_tuned(size_t slot, const TuningKey &key, const std::vector<size_t> &allowed,
                           size_t otherwise) const {
    const std::lock_guard lock(tuning_mutex_);
    const auto found = tuning_.find(key);
    const bool is_set =
        found != tuning_.end() && std::find(allowed.begin(), allowed.end(), found->second) != allowed.end();
    const size_t value = is_set ? found->second : otherwise;
    tuned_[tuned_index(slot, key.dtype)].store(value, std::memory_order_relaxed);
    return value;
}

void Context::tune(const TuningKey &key, size_t value) {
    const std::lock_guard lock(tuning_mutex_);
    if (value == 0)
        tuning_.erase(key);
    else
        tuning_[key] = value;
    for (size_t i = 0; i < tuning_slots() * kDtypes.size(); ++i) tuned_[i].store(0, std::memory_order_relaxed);
    recordings_.clear();
}

void Context::save_tuning(const std::string &file) const {
    const std::lock_guard lock(tuning_mutex_);
    write_tuning(file, device_.info.name, tuning_);
}

namespace {
gp_context *open(const char *selector, std::optional<size_t> bound) {
    count_workers();
    const auto devices = select_devices(selector);
    if (devices.size() > 1) return open_several(devices, bound);
    const Device &chosen = devices.front();
    std::shared_ptr<Context> host;
    if (std::string_view(chosen.info.selector) == kAuto) host = std::make_shared<Context>(select_device("host"));
    return contexts().insert(std::make_shared<Context>(chosen, bound, std::move(host)));
}
} // namespace
} // namespace gpcl::cl

using namespace gpcl;
using gpcl::cl::contexts;

gp_status gp_open(const char *device, gp_context **context) {
    return guard("gp_open", [&] {
        require_pointer(context, "context");
        *context = nullptr;
        *context = cl::open(device, cl::bound_of_environment());
    });
}

gp_status gp_open_with(const char *device, const gp_open_options *options, gp_context **context) {
    return guard("gp_open_with", [&] {
        require_pointer(context, "context");
        *context = nullptr;
        const size_t bound = read_options(options, "options").memory_bytes;
        *context = cl::open(device, bound != 0 ? std::optional(bound) : cl::bound_of_environment());
    });
}

gp_status gp_close(gp_context *context) {
    return guard("gp_close", [&] {
        if (context == nullptr) return;
        require(!cl::is_member(context), GP_ERROR_HANDLE,
                "context is one device of a context of several; expected that one, which closes all of them");
        const auto members = cl::take_members(context);
        const auto closed = contexts().remove(context, "context");
        if (cl::forked()) return;
        const auto settle = [](cl::Context &each) {
            each.state()->require_present();
            each.finish_or_lose();
            each.pinned().unregister();
        };
        members ? cl::for_each_device(context, members.get(), true, settle) : settle(*closed);
    });
}

gp_status gp_describe(gp_context *context, gp_device_info *info) {
    return guard("gp_describe", [&] { write_info(info, contexts().get(context, "context")->info(), "info"); });
}

gp_status gp_finish(gp_context *context) {
    return guard("gp_finish", [&] { cl::for_each_device(context, [](cl::Context &device) { device.finish(); }); });
}

gp_status gp_flush(gp_context *context) {
    return guard("gp_flush", [&] { cl::for_each_device(context, [](cl::Context &device) { device.flush(); }); });
}

gp_status gp_profile(gp_context *context, int32_t enabled) {
    return guard("gp_profile", [&] {
        require_choice(enabled, 1, "enabled");
        cl::for_each_device(context, [&](cl::Context &device) { device.profile(enabled != 0); });
    });
}

gp_status gp_deadline(gp_context *context, uint64_t milliseconds) {
    return guard("gp_deadline", [&] {
        cl::for_each_device(context, [&](cl::Context &device) { device.state()->deadline_ms = milliseconds; });
    });
}

gp_status gp_trim(gp_context *context) {
    return guard("gp_trim", [&] {
        cl::for_each_device(context, [](cl::Context &device) { device.trim(); });
        trim_scratch();
    });
}
