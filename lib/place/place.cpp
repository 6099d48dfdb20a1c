// Chooses, and tells why.
// SPDX-License-Identifier: MIT
#include "place/place.h"

#include "place/deal.h"
#include "place/model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gpcl::place {
namespace {

size_t &slots() {
    static size_t count = 0;
    return count;
}

// A thread's last choice.
struct Choice {
    const gp_context *context = nullptr; // a handle, which no later context has
    const Kind *kind = nullptr;
    gp_dtype dtype = 0;
    double work = 0;
    Expected expected;
    Only only;
    Side side = Side::kHost;
};
thread_local Choice last;

double largest_of(const Cost &cost) {
    double most = 0;
    for (const auto *arrays : {&cost.up, &cost.down})
        for (const Array &array : *arrays) most = std::max(most, array.bytes);
    return most;
}

// With three digits.
std::string shown(double value) {
    char digits[32];
    constexpr int kDigits = 3;
    const auto format = value < 1e3 ? std::chars_format::general : std::chars_format::fixed;
    char *const end = std::to_chars(digits, std::end(digits), value, format, value < 1e3 ? kDigits : 0).ptr;
    return {digits, end};
}

std::string shown_time(double ns) {
    if (ns < 1e6) return shown(ns / 1e3) + " us";
    return ns < 1e9 ? shown(ns / 1e6) + " ms" : shown(ns / 1e9) + " s";
}

std::string why(const Choice &choice, const std::string &device) {
    const Expected &expected = choice.expected;
    if (choice.only.why != nullptr) return choice.only.why;
    if (choice.work <= 0) return "there is no work";
    if (expected.host == 0) return "nothing is known of such calls";
    if (std::isinf(expected.device)) return text(device, " can't run such calls");
    if (std::isinf(expected.host)) return "the host can't run such calls";
    if (expected.device == 0)
        return text("expected ", shown_time(expected.host), " there, and ", device, " can't end before that");
    return text("expected ", shown_time(expected.host), " on host and ", shown_time(expected.device), " on ", device);
}

} // namespace

size_t next_kind_slot() { return slots()++; }
size_t kind_slots() { return slots(); }

std::shared_ptr<cl::Context> choose(gp_context *handle, const std::shared_ptr<cl::Context> &device, const Kind &kind,
                                    gp_dtype dtype, const Cost &cost, const Only &only) {
    const auto on = [&](Side side) { return side == Side::kHost ? device->stand_in() : device; };
    if (const Trial *const trial = Trial::now()) {
        trial->note(cost);
        return on(trial->side());
    }
    if (find_dtype(dtype) == nullptr) return device;
    Choice choice{handle, &kind, dtype, cost.work, {}, only, Side::kHost};
    if (cl::forked()) {
        choice.only = {Side::kHost, "OpenCL does not work in a child of a process that has used it"};
    } else if (only.why != nullptr) {
        choice.side = only.side;
    } else if (device->host_serves()) {
        if (largest_of(cost) <= static_cast<double>(device->info().global_bytes))
            choice.only = {Side::kHost, "the device is the host's own CPU"};
        else
            choice.only = {Side::kDevice, "no memory holds such an array"}; // the device says so in its error
        choice.side = choice.only.side;
        if (choice.side == Side::kHost) device->await_enqueued(); // calls run in their order
    } else if (largest_of(cost) > static_cast<double>(device->info().allocation_bytes)) {
        choice.only = {Side::kHost, "an array is larger than a buffer of the device can be"};
    } else if (cost.work > 0) {
        const auto expected = Model::of(*device).expect(handle, device, kind, dtype, cost);
        if (expected) choice.expected = *expected;
        choice.side = expected ? expected->better() : Side::kHost;
    }
    last = choice;
    return on(choice.side);
}

} // namespace gpcl::place

using namespace gpcl;

const char *gp_explain(gp_context *context) {
    thread_local std::string answer;
    try {
        const auto device = cl::contexts().find(context);
        if (!device) return "";
        const place::Choice &choice = place::last;
        const std::string name = device->info().name;
        if (const auto members = cl::members_of(context)) {
            answer = place::explain_deal(context, *members);
        } else if (!device->host() && !device->host_serves()) {
            answer = text("every call runs on ", name, ": the context was not opened by \"auto\"");
        } else if (choice.context != context) {
            answer = "";
        } else {
            answer = text(choice.kind->name, " of ", place::shown(choice.work), " ", choice.kind->unit, ", ",
                          gpcl::dtype(choice.dtype).name, ": on ", choice.side == place::Side::kHost ? "host" : name,
                          "; ", place::why(choice, name));
        }
    } catch (...) {
        return "";
    }
    return answer.c_str();
}

const char *gp_places_file(void) {
    thread_local std::string file;
    try {
        file = place::places_file();
    } catch (...) {
        return "";
    }
    return file.c_str();
}
