// Handles: what a C caller holds is a key into this table, so a closed or foreign handle is told
// apart without touching its memory, and an object lives on while a call in another thread still
// uses it. A key is given out once: a freed handle never means a later object.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace gpcl {

inline std::atomic<uintptr_t> handles_made = 0; // of all kinds

// The next key. It is odd, as no object's address is. Another copy of the library in the process
// counts from another address.
inline uintptr_t new_key() { return reinterpret_cast<uintptr_t>(&handles_made) + 2 * handles_made++ + 1; }

// Object is the C++ class, Handle the opaque C type that stands for it. state() is that of the
// object's device.
template <class Object, class Handle> class HandleTable {
  public:
    explicit HandleTable(const char *kind) : kind_(kind) {}

    Handle *insert(std::shared_ptr<Object> object) {
        auto *handle = reinterpret_cast<Handle *>(new_key());
        const std::unique_lock lock(mutex_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }

    // Throws where the object's device is lost.
    std::shared_ptr<Object> get(const Handle *handle, const char *argument) const {
        require_pointer(handle, argument);
        const std::shared_lock lock(mutex_);
        const auto found = objects_.find(handle);
        require(found != objects_.end(), GP_ERROR_HANDLE, argument, " (", static_cast<const void *>(handle),
                ") is not a live ", kind_, "; it was freed or never was one");
        CallScope::enter(found->second->state());
        found->second->state()->require_present();
        return found->second;
    }

    // The object, or none where the handle is not a live one.
    std::shared_ptr<Object> find(const Handle *handle) const {
        const std::shared_lock lock(mutex_);
        const auto found = objects_.find(handle);
        return found != objects_.end() ? found->second : nullptr;
    }

    // Hands the object over; the table forgets it.
    std::shared_ptr<Object> remove(const Handle *handle, const char *argument) {
        const std::unique_lock lock(mutex_);
        const auto found = objects_.find(handle);
        require(found != objects_.end(), GP_ERROR_HANDLE, argument, " (", static_cast<const void *>(handle),
                ") is not a live ", kind_, "; it was freed or never was one");
        CallScope::enter(found->second->state());
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    // Lets go of the object. Throws where its device is lost, which was not called then.
    void free(const Handle *handle, const char *argument) {
        const std::shared_ptr<DeviceState> state = remove(handle, argument)->state();
        state->require_present();
    }

  private:
    const char *kind_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<const Handle *, std::shared_ptr<Object>> objects_;
};

} // namespace gpcl
