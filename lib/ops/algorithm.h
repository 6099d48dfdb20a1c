// The algorithms of an operation: a list in order of preference, from which a name or the first
// that accepts is taken.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/feature.h"
#include "ops/refusal.h"
#include "ops/tuning.h"

#include <span>
#include <string_view>

namespace gpcl {

// The kind of device that an algorithm was made for. It runs on others too, when it is named or
// nothing else can. kByName: it runs when it is named only, such as the steps of a ladder that
// leads to the best.
enum class Suits { kAny, kCpu, kGpu, kByName };

// What is said of an algorithm to the user.
struct AlgorithmInfo {
    const char *name;
    const char *summary; // one line
    const char *source;  // where the method is from
    bool on_host;
    Suits suits = Suits::kAny;
    FeatureSet needs = 0;           // it refuses devices without them
    FeatureSet prefers = 0;         // devices without them run it when it is named only
    const char *old_name = nullptr; // an earlier name, which is still accepted
    FeatureSet uses = 0;            // it does without them as well

    // Beyond what OpenCL 1.2 promises? Then it is proved before it is chosen by default.
    bool is_beyond_portable() const { return (needs | prefers | uses) != 0; }
    bool is_named(std::string_view asked) const { return asked == name || (old_name != nullptr && asked == old_name); }
};

// That of an algorithm which takes requests whose n is a number in a buffer (counted.h).
inline constexpr bool kTakesCounted = true;

template <class Request> struct Algorithm {
    AlgorithmInfo info;
    // Why it can't run a request on a device; nothing when it can.
    Refusal (*refuses)(const cl::Context &, const Request &);
    // Runs it; or only notes what it would do, where the task is a plan.
    void (*run)(cl::Task &, const Request &);
    bool (*fits)(const cl::Context &, const Request &) = nullptr; // is it the best for this size? NULL: for every one
    std::span<const Parameter *const> parameters = {};            // what `gpcl tune` may search
    bool takes_counted = false;                                   // or kTakesCounted
    bool runs_natively = false;                                   // see natively
};

// An algorithm of "host" whose run gives its request to Task::on_host: a device that is the host's
// own CPU chooses it before all others, and runs it on buffers as a native kernel.
template <class Request> constexpr Algorithm<Request> natively(Algorithm<Request> algorithm) {
    algorithm.runs_natively = true;
    return algorithm;
}

// Is there a text of the caller's in a request, which the host can't run?
template <class Request> bool asks_for_text(const Request &request) {
    if constexpr (requires { request.combine.is_text(); }) return request.combine.is_text();
    if constexpr (requires { request.has_text(); }) return request.has_text();
    return false;
}

// What an algorithm would do with a request that it does not refuse. Arrays may be stand-ins.
template <class Request>
cl::Plan plan(const cl::Context &context, const Algorithm<Request> &algorithm, const Request &request) {
    cl::Plan result;
    cl::Task task(context, result);
    algorithm.run(task, request);
    return result;
}

// Is an algorithm none that this device chooses by itself?
inline bool runs_by_name(const AlgorithmInfo &info, const cl::Context &context) {
    return info.suits == Suits::kByName || !context.features().pay(info.needs | info.prefers);
}

// proof.cpp: was an algorithm of an operation's list proved to be right for a type on this device,
// or has it nothing to prove? Else it is proved now, on a queue of its own, while other threads
// that ask wait.
bool is_right(const cl::Context &context, const void *list, const AlgorithmInfo &info, gp_dtype dtype);

// The same, for a choice that nobody named.
template <class Request> bool is_trusted(const cl::Context &context, std::span<const Algorithm<Request>> list,
                                         const AlgorithmInfo &info, const Request &request) {
    gp_dtype dtype = 0;
    if constexpr (requires { request.proved_type(); })
        dtype = request.proved_type(); // where another type than that of results tells requests apart
    else if constexpr (requires { request.dtype; })
        dtype = request.dtype;
    return !info.is_beyond_portable() || context.proofs().has(&info, dtype) ||
           is_right(context, list.data(), info, dtype);
}

// Why an algorithm can't run a request.
template <class Request>
Refusal refusal_of(const Algorithm<Request> &algorithm, const cl::Context &context, const Request &request) {
    const bool natively = algorithm.runs_natively && context.runs_natively();
    if (natively && asks_for_text(request)) return "the host can't run OpenCL C";
    if (!natively && algorithm.info.on_host != context.is_host())
        return algorithm.info.on_host ? "it runs on \"host\" only" : "it needs an OpenCL device";
    if (const FeatureSet missing = algorithm.info.needs & ~context.features().has)
        return {"it needs ", name_of_first(missing), ", which the device does not have"};
    if constexpr (requires { request.counted.at; })
        if (request.counted.is_there && !algorithm.takes_counted && !context.is_host()) // which takes the number first
            return "it takes its n from the host, not from n_buffer";
    return algorithm.refuses(context, request);
}

// Tells that no algorithm of that name, or none at all for NULL, can run a request.
template <class Request> [[noreturn]] void fail_to_choose(std::span<const Algorithm<Request>> algorithms,
                                                          const char *name, const cl::Context &context,
                                                          const Request &request) {
    std::string names, refusals;
    for (const auto &one : algorithms) {
        names += text(names.empty() ? "" : ", ", one.info.name);
        if (name != nullptr ? !one.info.is_named(name) : runs_by_name(one.info, context)) continue;
        const std::string why = refusal_of(one, context, request).text();
        require(name == nullptr, GP_ERROR_ALGORITHM_REFUSED, "algorithm \"", one.info.name, "\" can't run this on ",
                context.info().name, ": ", why);
        refusals += text(refusals.empty() ? "" : "; ", one.info.name, ": ", why);
    }
    require(name == nullptr, GP_ERROR_ALGORITHM, "algorithm \"", name != nullptr ? name : "",
            "\" is unknown; there are: ", names);
    fail(GP_ERROR_ALGORITHM_REFUSED, "no algorithm can run this on ", context.info().name, ": ", refusals);
}

// Is it one of the best for this size?
template <class Request>
bool fits_request(const Algorithm<Request> &one, const cl::Context &context, const Request &request) {
    return one.fits == nullptr || one.fits(context, request);
}

// The named algorithm; or, for NULL, the first of kernels that suits the device, accepts the
// request, fits it and is proved to be right, else the first that accepts and is. NULL: there is
// none.
template <class Request> const Algorithm<Request> *find_choice(std::span<const Algorithm<Request>> algorithms,
                                                               const char *name, const cl::Context &context,
                                                               const Request &request) {
    for (const bool any : {false, true}) {
        for (const auto &one : algorithms) {
            if (name != nullptr ? !one.info.is_named(name) : runs_by_name(one.info, context)) continue;
            if (name == nullptr && one.info.on_host != context.is_host()) continue;
            if (refusal_of(one, context, request)) continue;
            if (name != nullptr) return &one;
            const bool suits =
                one.info.suits != (context.is_cpu() ? Suits::kGpu : Suits::kCpu) && fits_request(one, context, request);
            if ((any || suits) && is_trusted(context, algorithms, one.info, request)) return &one;
        }
    }
    return nullptr;
}

// The same of kernels alone, for a step of another algorithm's.
template <class Request> const Algorithm<Request> &choose_kernels(std::span<const Algorithm<Request>> algorithms,
                                                                  const cl::Context &context, const Request &request) {
    if (const auto *chosen = find_choice<Request>(algorithms, nullptr, context, request)) return *chosen;
    fail_to_choose<Request>(algorithms, nullptr, context, request);
}

template <class Request> const Algorithm<Request> &choose(std::span<const Algorithm<Request>> algorithms,
                                                          const char *name, const cl::Context &context,
                                                          const Request &request) {
    if (name == nullptr && context.runs_natively())
        for (const auto &one : algorithms)
            if (one.runs_natively && fits_request(one, context, request) && !refusal_of(one, context, request))
                return one;
    if (const auto *chosen = find_choice(algorithms, name, context, request)) return *chosen;
    fail_to_choose(algorithms, name, context, request);
}

} // namespace gpcl
