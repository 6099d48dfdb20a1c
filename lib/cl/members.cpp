// The table of contexts of several devices, and the C entry points that tell of them.
// SPDX-License-Identifier: MIT
#include "cl/members.h"

#include <algorithm>
#include <shared_mutex>

namespace gpcl::cl {
namespace {

class Table {
  public:
    static Table &the() {
        static auto *table = new Table; // never destroyed: no OpenCL call when the process ends
        return *table;
    }
    void insert(const gp_context *handle, std::shared_ptr<const Members> members) {
        const std::unique_lock lock(mutex_);
        all_.emplace(handle, std::move(members));
        count_ = all_.size();
    }
    std::shared_ptr<const Members> find(const gp_context *handle) {
        if (count_ == 0) return nullptr; // most programs have none
        const std::shared_lock lock(mutex_);
        const auto found = all_.find(handle);
        return found != all_.end() ? found->second : nullptr;
    }
    std::shared_ptr<const Members> take(const gp_context *handle) {
        if (count_ == 0) return nullptr;
        const std::unique_lock lock(mutex_);
        const auto found = all_.extract(handle);
        count_ = all_.size();
        return found ? std::move(found.mapped()) : nullptr;
    }
    bool has_member(const gp_context *handle) {
        if (count_ == 0) return false;
        const std::shared_lock lock(mutex_);
        return std::any_of(all_.begin(), all_.end(), [&](const auto &each) {
            const auto &[whole, members] = each;
            const auto &devices = members->devices;
            return members->host == handle || std::find(devices.begin(), devices.end(), handle) != devices.end();
        });
    }

  private:
    std::shared_mutex mutex_;
    std::unordered_map<const gp_context *, std::shared_ptr<const Members>> all_;
    std::atomic<size_t> count_ = 0;
};

} // namespace

Members::~Members() {
    for (const gp_context *device : devices) {
        const CallScope call(contexts().find(device)->state()); // a lost one must not be called
        contexts().remove(device, "context");
    }
    if (host != nullptr) contexts().remove(host, "context");
}

gp_context *open_several(const std::vector<Device> &devices, std::optional<size_t> bound) {
    const auto members = std::make_shared<Members>();
    members->devices.reserve(devices.size());
    for (const Device &device : devices)
        members->devices.push_back(contexts().insert(std::make_shared<Context>(device, bound)));
    members->host = contexts().insert(std::make_shared<Context>(select_device("host")));
    gp_context *const whole = contexts().insert(contexts().find(members->devices.front()));
    Table::the().insert(whole, members);
    return whole;
}

std::shared_ptr<const Members> members_of(const gp_context *handle) { return Table::the().find(handle); }

std::shared_ptr<const Members> take_members(const gp_context *handle) { return Table::the().take(handle); }

bool is_member(const gp_context *handle) { return Table::the().has_member(handle); }

std::shared_ptr<Context> present(const gp_context *handle) {
    if (const auto members = members_of(handle)) {
        for (const gp_context *device : members->devices)
            if (!contexts().find(device)->state()->is_lost()) return contexts().get(device, "context");
    }
    return contexts().get(handle, "context");
}

} // namespace gpcl::cl

using namespace gpcl;

gp_status gp_context_devices(gp_context *context, size_t *count) {
    return guard("gp_context_devices", [&] {
        require_pointer(count, "count");
        const auto members = cl::members_of(context);
        if (!members) cl::contexts().get(context, "context");
        *count = members ? members->devices.size() : 1;
    });
}

gp_status gp_context_device(gp_context *context, size_t index, gp_context **device) {
    return guard("gp_context_device", [&] {
        require_pointer(device, "device");
        const auto members = cl::members_of(context);
        if (!members) cl::contexts().get(context, "context");
        const size_t count = members ? members->devices.size() : 1;
        require(index < count, GP_ERROR_INDEX, "index is ", index, "; expected less than ", count,
                ", the devices of the context");
        *device = members ? members->devices[index] : context;
    });
}
