// Pinned memory and its C entry points.
// SPDX-License-Identifier: MIT
#include "cl/pinned.h"

#include "cl/members.h"
#include "core/size.h"
#include "core/system.h"

#include <cstdlib>
#include <unordered_map>

namespace gpcl::cl {

bool PinnedRanges::empty() const {
    const std::lock_guard lock(mutex_);
    return ranges_.empty();
}

bool PinnedRanges::contains(const void *pointer, size_t bytes) const {
    const auto at = reinterpret_cast<uintptr_t>(pointer);
    const std::lock_guard lock(mutex_);
    const auto behind = ranges_.upper_bound(at);
    if (behind == ranges_.begin()) return false;
    const auto &[begin, range] = *std::prev(behind);
    return at - begin <= range.bytes && bytes <= range.bytes - (at - begin);
}

void PinnedRanges::insert(void *pointer, Range range) {
    const auto at = reinterpret_cast<uintptr_t>(pointer);
    const std::lock_guard lock(mutex_);
    for (const auto &[begin, other] : ranges_) {
        require(!gpcl::overlap(at, range.bytes, begin, other.bytes), GP_ERROR_PINNED, Shown{range.bytes}, " bytes at ",
                pointer, " overlap ", other.bytes, " at ", reinterpret_cast<void *>(begin),
                ", which are pinned already; expected memory that is not");
    }
    ranges_.emplace(at, std::move(range));
}

void PinnedRanges::hold(const void *pointer, Ref<cl_mem> memory) {
    const std::lock_guard lock(mutex_);
    ranges_.at(reinterpret_cast<uintptr_t>(pointer)).memory = std::move(memory);
}

PinnedRanges::Range PinnedRanges::remove(const void *pointer, bool registered) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(reinterpret_cast<uintptr_t>(pointer));
    require(found != ranges_.end() && found->second.registered == registered, GP_ERROR_NOT_PINNED, "pointer (", pointer,
            registered ? ") was not registered with this context, or is no longer"
                       : ") is none that gp_host_alloc gave, or was freed before");
    Range range = std::move(found->second);
    ranges_.erase(found);
    return range;
}

void PinnedRanges::unregister() {
    const std::lock_guard lock(mutex_);
    std::erase_if(ranges_, [](const auto &each) { return each.second.registered; });
}

namespace {

// What gp_host_alloc gave: the context, and where that is of several devices, those.
struct Owner {
    std::shared_ptr<Context> context;
    std::shared_ptr<const Members> members;
};

// The owners by pointer.
class Given {
  public:
    static Given &the() {
        static auto *given = new Given; // never destroyed: no OpenCL call when the process ends
        return *given;
    }
    void insert(void *pointer, Owner owner) {
        const std::lock_guard lock(mutex_);
        owners_.insert_or_assign(pointer, std::move(owner));
    }
    Owner remove(void *pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = owners_.find(pointer);
        require(found != owners_.end(), GP_ERROR_NOT_PINNED, "pointer (", pointer,
                ") is none that gp_host_alloc gave, or was freed before");
        Owner owner = std::move(found->second);
        owners_.erase(found);
        return owner;
    }

  private:
    std::mutex mutex_;
    std::unordered_map<void *, Owner> owners_;
};

// There the device works on the host's memory, or there is none; unless GPCL_STAGING keeps the two
// apart.
bool is_plain(const Context &context) {
    return context.is_host() || (context.shares_memory() && context.least_staged() == SIZE_MAX);
}

cl_mem create(const Context &context, cl_mem_flags flags, size_t bytes, void *pointer) {
    cl_int code = CL_SUCCESS;
    cl_mem memory = api().CreateBuffer(context.opencl(), CL_MEM_READ_WRITE | flags, bytes, pointer, &code);
    const bool none = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
    const std::string about = text(bytes, " bytes of pinned memory");
    if (code != CL_SUCCESS) require_device(code, text("clCreateBuffer returned ", error_name(code), " for ", about));
    check(none ? CL_OUT_OF_HOST_MEMORY : code, "clCreateBuffer", about);
    return memory;
}

// Ends the mapping after what was enqueued before, and only then lets the memory go.
void unmap(const Context &context, const Ref<cl_mem> &memory, void *pointer) {
    cl_event unmapped = nullptr;
    check(api().EnqueueUnmapMemObject(context.queue(), memory.get(), pointer, 0, nullptr, &unmapped),
          "clEnqueueUnmapMemObject", context.info().name);
    await(Ref(unmapped).get(), context.info().name);
}

void register_host(Context &context, void *pointer, size_t bytes) {
    require(bytes > 0, GP_ERROR_OPTION, "bytes is 0; expected memory of at least one byte");
    add(reinterpret_cast<uintptr_t>(pointer) / 2, bytes, "bytes"); // no number that only looks like a size
    // The place is taken first: a driver may pin the same memory twice, and then not let go of it.
    context.pinned().insert(pointer, {.bytes = bytes, .memory = {}, .mapped = nullptr, .registered = true});
    if (is_plain(context)) return;
    try {
        context.require_allocation(bytes, "pinned memory");
        context.pinned().hold(pointer, Ref(create(context, CL_MEM_USE_HOST_PTR, bytes, pointer)));
    } catch (...) {
        context.pinned().remove(pointer, true);
        throw;
    }
}

void unregister_host(Context &context, void *pointer) {
    const auto range = context.pinned().remove(pointer, true);
    // The device may use the memory, whether the driver pins it or not.
    if (!forked()) context.finish_or_lose();
}

// The same for the others of several devices. Where one can't, memory is as any other to it.
template <class F> void on_others(const Members *members, const F &f) {
    for (size_t k = 1; members != nullptr && k < members->devices.size(); ++k) {
        const auto other = contexts().find(members->devices[k]);
        const CallScope call(other->state());
        try {
            f(*other);
        } catch (const Error &) {
            // Copies take longer, and are right.
        }
    }
}

void *allocate(const std::shared_ptr<Context> &context, const std::shared_ptr<const Members> &members, size_t bytes) {
    const size_t page = page_bytes(), size = round_up(std::max(bytes, size_t{1}), page);
    // Drivers may map memory to where no page begins. With one page more, some page begins in it.
    const bool plain = is_plain(*context);
    const size_t all = plain ? size : size + page;
    context->require_allocation(all, "pinned memory");
    void *pointer = nullptr;
    PinnedRanges::Range range{.bytes = size, .memory = {}, .mapped = nullptr, .registered = false};
    if (plain) {
        pointer = allocate_pages(size);
        require(pointer != nullptr, GP_ERROR_HOST_MEMORY, "no memory for ", bytes, " bytes");
    } else {
        range.memory = Ref(create(*context, CL_MEM_ALLOC_HOST_PTR, all, nullptr));
        range.mapped = map_memory(context->queue(), range.memory.get(), CL_MAP_READ | CL_MAP_WRITE, 0, all, {},
                                  text(bytes, " bytes of pinned memory"));
        const auto at = reinterpret_cast<uintptr_t>(range.mapped);
        pointer = static_cast<std::byte *>(range.mapped) + (round_up(at, page) - at);
    }
    const Ref kept = Ref<cl_mem>::retained(range.memory.get()); // to be unmapped where the next lines fail
    void *const mapped = range.mapped;
    bool is_noted = false;
    try {
        context->pinned().insert(pointer, std::move(range));
        is_noted = true;
        Given::the().insert(pointer, {context, members});
    } catch (...) {
        if (is_noted) context->pinned().remove(pointer, false);
        if (plain)
            free_pages(pointer);
        else
            unmap(*context, kept, mapped);
        throw;
    }
    on_others(members.get(), [&](Context &other) { register_host(other, pointer, size); });
    return pointer;
}

void free_pinned(void *pointer) {
    const auto [context, members] = Given::the().remove(pointer);
    CallScope::enter(context->state());
    on_others(members.get(), [&](Context &other) { unregister_host(other, pointer); });
    const PinnedRanges::Range range = context->pinned().remove(pointer, false);
    if (context->state()->is_lost() && !range.memory) keep(std::shared_ptr<void>(pointer, free_pages));
    context->state()->require_present();
    if (!range.memory)
        free_pages(pointer);
    else if (!forked())
        unmap(*context, range.memory, range.mapped);
}

} // namespace
} // namespace gpcl::cl

using namespace gpcl;

gp_status gp_host_alloc(gp_context *context, size_t bytes, void **pointer) {
    return guard("gp_host_alloc", [&] {
        require_pointer(pointer, "pointer");
        const auto owner = cl::contexts().get(context, "context");
        require(bytes <= kLargestSize - (size_t{1} << 20), GP_ERROR_SIZE_OVERFLOW, "bytes is ", Shown{bytes},
                ", more than any memory holds");
        *pointer = cl::allocate(owner, cl::members_of(context), bytes);
    });
}

gp_status gp_host_free(void *pointer) {
    return guard("gp_host_free", [&] {
        if (pointer != nullptr) cl::free_pinned(pointer);
    });
}

gp_status gp_host_register(gp_context *context, void *pointer, size_t bytes) {
    return guard("gp_host_register", [&] {
        const auto owner = cl::contexts().get(context, "context");
        require_pointer(pointer, "pointer");
        cl::register_host(*owner, pointer, bytes);
        cl::on_others(cl::members_of(context).get(),
                      [&](cl::Context &other) { cl::register_host(other, pointer, bytes); });
    });
}

gp_status gp_host_unregister(gp_context *context, void *pointer) {
    return guard("gp_host_unregister", [&] {
        const auto owner = cl::contexts().get(context, "context");
        require_pointer(pointer, "pointer");
        cl::unregister_host(*owner, pointer);
        cl::on_others(cl::members_of(context).get(), [&](cl::Context &other) { cl::unregister_host(other, pointer); });
    });
}
