// Proves algorithms, and keeps the results: by context (cl/proofs.h), for the process, and on disk.
// SPDX-License-Identifier: MIT
#include "ops/proof.h"

#include "cl/cache.h"
#include "cl/source.h"
#include "core/options.h"
#include "ops/operation.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <chrono>
#include <cmath>
#include <future>
#include <map>

namespace gpcl {
namespace {

using cl::Context;

// The kernels of this library: while it is developed its version stays.
uint64_t hash_of_sources() {
    static const uint64_t hash = [] {
        uint64_t all = 0;
        for (const cl::EmbeddedSource *one = cl::kEmbeddedSources; one->path != nullptr; ++one)
            all = XXH3_64bits_withSeed(one->text, one->bytes, all);
        return all;
    }();
    return hash;
}

// What a result holds for.
std::string key_of(const Context &context, const Operation &operation, const char *algorithm, gp_dtype type) {
    const gp_device_info &info = context.info();
    const cl::Features &features = context.features();
    return text("proof\n", GPCL_VERSION, '\n', hash_of_sources(), '\n', info.platform, '\n', info.platform_version,
                '\n', info.name, '\n', info.driver, '\n', info.kind, '\n', features.options(), context.device().options,
                '\n', features.has, ' ', features.is_forced, ' ', features.local_bytes, ' ', info.work_group_size, '\n',
                operation.name, ' ', algorithm, ' ', type != 0 ? dtype(type).name : "");
}

// Texts on disk.
constexpr std::string_view kRight = "right", kWrong = "wrong: ";

// Handles for the time of a proof.
class Opened {
  public:
    explicit Opened(std::shared_ptr<Context> context) : handle_(cl::contexts().insert(std::move(context))) {}
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;
    ~Opened() { cl::contexts().remove(handle_, "context"); }
    gp_context *get() const { return handle_; }

  private:
    gp_context *handle_;
};

// Is a failure one that says nothing of the algorithm?
bool is_passing(gp_status status) {
    return status == GP_ERROR_HOST_MEMORY || status == GP_ERROR_DEVICE_MEMORY || status == GP_ERROR_OPENCL ||
           status == GP_ERROR_FORK || status == GP_ERROR_NO_DEVICE || status == GP_ERROR_UNSUPPORTED_TYPE;
}

struct Result {
    std::string wrong;     // "" right, or not known
    bool is_known = false; // else the next call tries again
    bool is_kept = false;  // on disk, too
};

Result prove(const Context &context, const Operation &operation, const char *algorithm, gp_dtype type) try {
    const Opened device(std::make_shared<Context>(context, Context::Apart{})),
        host(std::make_shared<Context>(cl::select_device("host")));
    Proof proof(device.get(), host.get(), algorithm, type);
    operation.prove(proof);
    return {proof.wrong(), true, true};
} catch (const Error &error) {
    if (is_passing(error.status)) return {};
    return {error.message, true, false}; // such as a compiler that finds no linker
}

class Results {
  public:
    // What is known, in memory or on disk; nothing where a thread is at it.
    Result find(const std::string &key) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = results_.find(key); found != results_.end()) {
                const bool is_made = found->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
                return is_made ? found->second.get() : Result{};
            }
        }
        return stored(key);
    }

    // The same, from memory or disk, or else from make(), which is called by one thread at a time.
    Result get(const std::string &key, const std::function<Result()> &make) {
        std::promise<Result> promise;
        {
            std::unique_lock lock(mutex_);
            if (const auto found = results_.find(key); found != results_.end()) {
                const auto future = found->second;
                lock.unlock();
                return future.get();
            }
            results_.emplace(key, promise.get_future().share());
        }
        Result result;
        try {
            result = stored(key);
            if (!result.is_known && (result = make()).is_kept)
                cl::cache_store(
                    key, [&] { return result.wrong.empty() ? std::string(kRight) : text(kWrong, result.wrong); });
        } catch (...) {
            // No memory: nothing is known.
        }
        if (!result.is_known) {
            const std::lock_guard lock(mutex_);
            results_.erase(key);
        }
        promise.set_value(result);
        return result;
    }

    static Result stored(const std::string &key) {
        const auto kept = cl::cache_load(key);
        if (!kept) return {};
        if (*kept == kRight) return {"", true, true};
        const bool is_wrong = kept->starts_with(kWrong);
        return is_wrong ? Result{kept->substr(kWrong.size()), true, true} : Result{};
    }

  private:
    std::mutex mutex_;
    std::map<std::string, std::shared_future<Result>> results_;
};

Results &results() {
    static auto *all = new Results; // never destroyed: threads may be at work when the process ends
    return *all;
}

bool needs_proof(const Context &context, const Operation &operation, const AlgorithmInfo &info) {
    return operation.prove != nullptr && !context.is_host() && info.is_beyond_portable() &&
           context.features().pay(info.needs | info.prefers);
}

bool are_same(double a, double b, double bound) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= bound * std::max({1.0, std::abs(a), std::abs(b)});
}

template <class Value>
size_t first_difference(const Elements &mine, const Elements &right, double bound, const Value &value) {
    const size_t size = dtype(mine.dtype).size;
    for (size_t i = 0; i < mine.size(); ++i) {
        if (std::memcmp(&mine.bytes[i * size], &right.bytes[i * size], size) == 0) continue;
        if (!is_float(mine.dtype) ||
            !are_same(static_cast<double>(value(mine, i)), static_cast<double>(value(right, i)), bound))
            return i;
    }
    return SIZE_MAX;
}

template <class T> T at(const Elements &array, size_t i) {
    T value;
    std::memcpy(&value, &array.bytes[i * sizeof value], sizeof value);
    return value;
}

// "element 7 is 3; expected 4"; "" where all are the same.
std::string difference(const Elements &mine, const Elements &right, double bound) {
    if (mine.bytes == right.bytes) return {};
    const auto tell = [&](const auto &value) {
        const size_t i = first_difference(mine, right, bound, value);
        return i == SIZE_MAX ? std::string()
                             : text("element ", i, " is ", value(mine, i), "; expected ", value(right, i));
    };
    if (mine.dtype == GP_FLOAT16)
        return tell([](const Elements &array, size_t i) { return half_to_float(at<uint16_t>(array, i)); });
    if (mine.dtype == GP_BFLOAT16)
        return tell([](const Elements &array, size_t i) { return bfloat_to_float(at<uint16_t>(array, i)); });
    return with_type(mine.dtype, [&](auto zero) {
        return tell([](const Elements &array, size_t i) { return at<decltype(zero)>(array, i); });
    });
}

void require_success(gp_status status) {
    if (status != GP_SUCCESS) throw Error(status, gp_error_message(), gp_error_opencl(), gp_error_build_log());
}

} // namespace

void Proof::compare(const std::string &what, const std::vector<Elements> &outputs, const Call &call, double bound) {
    if (!wrong_.empty()) return;
    std::vector<Elements> mine = outputs, right = outputs;
    const gp_status status = call(device_, algorithm, mine);
    if (status == GP_ERROR_ALGORITHM_REFUSED) return;
    require_success(status);
    require_success(call(host_, nullptr, right));
    ++calls_;
    for (size_t i = 0; i < mine.size() && wrong_.empty(); ++i) {
        const std::string found = difference(mine[i], right[i], bound);
        if (!found.empty()) wrong_ = text(what, ": ", found);
    }
}

bool is_right(const Context &context, const void *list, const AlgorithmInfo &info, gp_dtype type) {
    const auto all = operations();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Operation *one) { return one->prove != nullptr && one->list() == list; });
    const bool asks = found != all.end() && (context.proofs().are_wanted() || context.is_apart());
    if (asks && needs_proof(context, **found, info)) {
        const std::string key = key_of(context, **found, info.name, type);
        // In a proof all algorithms are used that were not found to be wrong.
        if (context.is_apart()) return results().find(key).wrong.empty();
        const Result result = results().get(key, [&] { return prove(context, **found, info.name, type); });
        if (!result.wrong.empty()) return false;
        if (!result.is_known) return true;
    }
    context.proofs().note(&info, type);
    return true;
}

} // namespace gpcl

using namespace gpcl;

gp_status gp_prove(gp_context *context, gp_operation operation, size_t index, gp_dtype dtype, int32_t now) {
    return guard("gp_prove", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Operation &one = gpcl::operation(operation);
        const auto algorithms = one.algorithms();
        require(index < algorithms.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ",
                algorithms.size());
        require_dtype(dtype, "dtype", one.types);
        require_choice(now, 1, "now");
        const AlgorithmInfo &info = algorithms[index];
        if (!needs_proof(*device, one, info)) return;
        const std::string key = key_of(*device, one, info.name, dtype);
        const Result result =
            now == 0 ? results().find(key) : results().get(key, [&] { return prove(*device, one, info.name, dtype); });
        require(result.wrong.empty(), GP_ERROR_ALGORITHM_REFUSED, "algorithm \"", info.name, "\" of ", one.name,
                " is not chosen for ", gpcl::dtype(dtype).name, " on ", device->info().name, ": ", result.wrong);
    });
}
