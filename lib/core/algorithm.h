// The algorithms of an operation: a list in order of preference, from which a name or the first that accepts is taken.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"
#include "core/feature.h"

#include <span>
#include <string_view>

namespace gpcl {

// The kind of device that an algorithm was made for. It runs on others too, when it is named or nothing else can. kByName:
// it runs when it is named only, such as the steps of a ladder that leads to the best.
enum class Suits { kAny, kCpu, kGpu, kByName };

// What is said of an algorithm to the user.
struct AlgorithmInfo {
    const char *name;
    const char *summary; // one line
    const char *source;  // where the method is from
    bool on_host;
    Suits suits = Suits::kAny;
    FeatureSet needs = 0;   // it refuses devices without them
    FeatureSet prefers = 0; // devices without them run it when it is named only
};

// `refuses` returns why the algorithm can't run a request on its device, "" when it can.
template <class Task, class Request> struct Algorithm {
    AlgorithmInfo info;
    std::string (*refuses)(Task &, const Request &);
    void (*run)(Task &, const Request &);
    bool (*fits)(Task &, const Request &) = nullptr; // is it the best for this size? NULL: for every one
    // Bytes of work space; NULL: nobody asks beforehand.
    size_t (*work_bytes)(Task &, const Request &) = nullptr;
};

// Is an algorithm none that this device chooses by itself?
template <class Context> bool runs_by_name(const AlgorithmInfo &info, const Context &context) {
    return info.suits == Suits::kByName || !context.features().all(info.needs | info.prefers);
}

// Why a device can't run an algorithm at all; "" when it can.
template <class Context> std::string refuses_device(const AlgorithmInfo &info, const Context &context) {
    if (info.on_host != context.is_host())
        return info.on_host ? "it runs on \"host\" only" : "it needs an OpenCL device";
    const FeatureSet missing = info.needs & ~context.features().has;
    return missing == 0 ? "" : text("it needs ", name_of_first(missing), ", which the device does not have");
}

// The named algorithm; or, for NULL, the first that suits the device, accepts the request and fits it, else the first that
// accepts.
template <class Task, class Request> const Algorithm<Task, Request> &
choose(std::span<const Algorithm<Task, Request>> algorithms, const char *name, Task &task, const Request &request) {
    const auto &context = task.context();
    std::string names;
    std::string refusals;
    const Algorithm<Task, Request> *fallback = nullptr;
    for (const auto &one : algorithms) {
        names += text(names.empty() ? "" : ", ", one.info.name);
        if (name != nullptr ? std::string_view(name) != one.info.name : runs_by_name(one.info, context)) continue;
        std::string why = refuses_device(one.info, context);
        if (why.empty()) why = one.refuses(task, request);
        if (why.empty()) {
            const bool suits = one.info.suits != (context.is_cpu() ? Suits::kGpu : Suits::kCpu) &&
                               (one.fits == nullptr || one.fits(task, request));
            if (name != nullptr || suits) return one;
            if (fallback == nullptr) fallback = &one;
        }
        require(name == nullptr, GP_ERROR_ALGORITHM_REFUSED, "algorithm \"", one.info.name, "\" can't run this on ",
                context.info().name, ": ", why);
        refusals += text(refusals.empty() ? "" : "; ", one.info.name, ": ", why);
    }
    require(name == nullptr, GP_ERROR_ALGORITHM, "algorithm \"", name != nullptr ? name : "",
            "\" is unknown; there are: ", names);
    require(fallback != nullptr, GP_ERROR_ALGORITHM_REFUSED, "no algorithm can run this on ", context.info().name, ": ",
            refusals);
    return *fallback;
}

} // namespace gpcl
