// What is known of a device, its link and the host: how long calls of each kind take on either
// side.
// SPDX-License-Identifier: MIT
#pragma once

#include "place/file.h"

#include <atomic>
#include <list>
#include <mutex>
#include <optional>

namespace gpcl::place {

size_t grid_of(double work); // the last grid point that is no larger

// What is expected of a call, in nanoseconds. A device of 0 is one that was not timed, since no
// call there ends as soon as the host does.
struct Expected {
    double host = 0, device = 0;
    Side better() const { return device > 0 && device < host ? Side::kDevice : Side::kHost; }
};

// The points of a kind and a type; never changed, but replaced.
struct Profile {
    Points points;
    LinkTimes link;
    bool is_whole = false; // there will be no larger points

    // Do the points tell what a call of that work takes?
    bool covers(double work) const;
    Expected expect(const Cost &cost, const cl::PinnedRanges *pinned) const;
};

class Model {
  public:
    // That of a context that "auto" opened. All contexts of a device share it.
    static Model &of(cl::Context &context);

    // What is expected; measured first, where it is not known and can be. Nothing: it can't.
    std::optional<Expected> expect(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind,
                                   gp_dtype dtype, const Cost &cost);

    // Measures all sizes of a kind anew, the large ones too.
    void measure(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind, gp_dtype dtype);

  private:
    explicit Model(std::string heading);
    void know_link(gp_context *handle, const std::shared_ptr<cl::Context> &device);
    void extend(gp_context *handle, const Kind &kind, gp_dtype dtype, size_t last, bool thorough);
    const Profile *publish(const Kind &kind, gp_dtype dtype, bool is_whole);
    std::atomic<const Profile *> &published(const Kind &kind, gp_dtype dtype) {
        return published_[kind.slot * kDtypes.size() + static_cast<size_t>(dtype - GP_INT8)];
    }
    void read();

    const std::string heading_;
    const std::string file_;
    std::mutex mutex_; // of all below but published profiles
    Measured known_;
    std::list<Profile> profiles_; // all that were ever published: calls read them without a lock
    std::unique_ptr<std::atomic<const Profile *>[]> published_ =
        std::make_unique<std::atomic<const Profile *>[]>(kind_slots() * kDtypes.size());
};

} // namespace gpcl::place
