// Contexts that gp_open opened on several devices. Each device has a context of its own, with a
// handle of its own; the handle of the whole stands for the first one too.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"

#include <exception>

namespace gpcl::cl {

struct Members {
    Members() = default;
    Members(const Members &) = delete;
    Members &operator=(const Members &) = delete;
    ~Members(); // gives the handles back

    std::vector<gp_context *> devices;
    gp_context *host = nullptr; // for what the host does with the devices' parts
};

// Opens the devices, and gives the handle of the whole. Of each device no more memory is taken than
// the bound says, where there is one.
gp_context *open_several(const std::vector<Device> &devices, std::optional<size_t> bound);

// Those of a context of several devices, which live as long as anyone holds them; else NULL.
std::shared_ptr<const Members> members_of(const gp_context *handle);
// The same, and the handle has them no longer.
std::shared_ptr<const Members> take_members(const gp_context *handle);
// Is it the handle of one device among several?
bool is_member(const gp_context *handle);

// The context of the handle; of several devices that of the first which is not lost. Throws as
// contexts().get does.
std::shared_ptr<Context> present(const gp_context *handle);

// Calls f with the context of the handle, or of each of several devices. Each comes to its turn;
// then what failed first is thrown. `with_lost`: f is called with those that are lost too.
template <class F> void for_each_device(const gp_context *handle, const Members *members, bool with_lost, const F &f) {
    if (members == nullptr) return f(*contexts().get(handle, "context"));
    std::exception_ptr first;
    for (const gp_context *device : members->devices) {
        const auto context = contexts().find(device);
        if (context->state()->is_lost() && !with_lost) continue;
        const CallScope call(context->state());
        try {
            f(*context);
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

template <class F> void for_each_device(const gp_context *handle, const F &f) {
    for_each_device(handle, members_of(handle).get(), false, f);
}

} // namespace gpcl::cl
