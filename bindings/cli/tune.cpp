// gpcl tune: searches the parameters of an operation's algorithms on a device, one after the other,
// against what is best so far, and then from which sizes on algorithms are worth choosing; each
// candidate's result is checked. What it finds goes into the tuning file. With --device auto: how
// long calls take on the host and on the device.
// SPDX-License-Identifier: MIT
#include "bench.h"
#include "words.h"

#include <algorithm>
#include <cstdio>

namespace command {

namespace {

constexpr double kGain = 1.02;    // a candidate is no better below it; times are noisy
constexpr double kHopeless = 4;   // algorithms that are so many times slower than the fastest are left as they are
constexpr size_t kRounds = 7;     // of taking turns with the best
constexpr double kShortest = 0.5; // milliseconds that a measurement lasts at least

struct Parameter {
    std::string algorithm, name;
    size_t value, preset;
    std::vector<size_t> values;

    // Which sizes the algorithm is chosen for: `value` elements and more, more than that, or up to
    // that.
    bool is_least() const { return name == "from" || name == "above"; }
    bool is_most() const { return name == "most"; }
    bool is_crossover() const { return is_least() || is_most(); }
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

class Tuner {
  public:
    explicit Tuner(const TuneOptions &options) : options_(options), context_(options.device) {
        for (const auto *each : operations())
            if (options.op == each->name) operation_ = each;
        const auto info = context_.info();
        const size_t n = options.n ? options.n : info.kind == GP_DEVICE_GPU ? operation_->gpu_n : operation_->cpu_n;
        dtype_ = options.dtype ? options.dtype : operation_->dtype;
        progress_.show("building");
        check(gp_warmup(context_, operation_->code, dtype_)); // refuses types before there is data
        const bool counts = operation_->code == GP_HISTOGRAM || operation_->code == GP_HISTOGRAM_WEIGHTED;
        if (counts && dtype_ != operation_->dtype)
            throw Failure("histograms are tuned for " + std::string(gp_dtype_name(operation_->dtype)) + " only");
        progress_.show("making data");
        workload_ = workload(n);
        read_parameters();
        title_ =
            device_name(info) + ", " + operation_->name + " " + gp_dtype_name(dtype_) + ", n = " + std::to_string(n);
    }

    int run() {
        // How fast each algorithm is as it stands.
        std::vector<std::pair<std::string, double>> algorithms;
        for (const auto &each : parameters_) {
            const auto &name = each.algorithm;
            if ((algorithms.empty() || algorithms.back().first != name) &&
                (options_.algorithm.empty() || options_.algorithm == name)) {
                progress_.show(name);
                if (right(name)) algorithms.emplace_back(name, once(name));
            }
        }
        progress_.clear();
        if (algorithms.empty()) throw Failure(none_runs());
        std::printf("%s\n", title_.c_str());
        double fastest = algorithms[0].second;
        for (const auto &each : algorithms) fastest = std::min(fastest, each.second);
        for (const auto &[name, milliseconds] : algorithms)
            if (milliseconds < kHopeless * fastest || !options_.algorithm.empty()) search(name);
        workload_.reset(); // makes room for others
        for (auto &parameter : parameters_) {
            const auto is_searched = [&](const auto &each) {
                return each.first == parameter.algorithm &&
                       (each.second < kHopeless * fastest || !options_.algorithm.empty());
            };
            if (parameter.is_crossover() && std::any_of(algorithms.begin(), algorithms.end(), is_searched))
                cross(parameter);
        }
        progress_.clear();
        save();
        return 0;
    }

  private:
    std::string none_runs() const {
        std::vector<std::string> names;
        for (const auto &each : parameters_)
            if (names.empty() || names.back() != each.algorithm) names.push_back(each.algorithm);
        const auto &wanted = options_.algorithm;
        if (wanted.empty() || names.empty() || std::find(names.begin(), names.end(), wanted) != names.end())
            return "no algorithm with parameters runs here";
        return "'" + wanted + "' is no algorithm with parameters; there are " + listed(names) +
               did_you_mean(wanted, names);
    }

    std::unique_ptr<Workload> workload(size_t n) {
        auto made =
            operation_->workload({dtype_, n, {n, n, n, 1}, operation_->rows, false, operation_->extra, "random"});
        made->put(context_);
        return made;
    }

    void read_parameters() {
        size_t count = 0;
        check(gp_parameters(operation_->code, &count));
        for (size_t i = 0; i < count; ++i) {
            gp_parameter_info info{};
            info.struct_size = sizeof info;
            check(gp_parameter_describe(context_, operation_->code, dtype_, i, &info));
            parameters_.push_back({info.algorithm, info.name, info.value, info.preset,
                                   std::vector<size_t>(info.values, info.values + info.value_count)});
        }
    }

    void set(const Parameter &parameter, size_t value) {
        check(gp_parameter_set(context_, operation_->code, dtype_, parameter.algorithm.c_str(), parameter.name.c_str(),
                               value));
    }

    // Milliseconds of one call. "": of the algorithm that the library chooses.
    double once(const std::string &algorithm) {
        size_t calls = 0;
        double all = 0;
        do {
            workload_->restore_device(false);
            check(gp_finish(context_));
            const Stopwatch watch;
            check(workload_->enqueue(context_, name_of(algorithm)));
            check(gp_finish(context_));
            all += watch.milliseconds();
            ++calls;
        } while (all < kShortest);
        return all / static_cast<double>(calls);
    }

    static const char *name_of(const std::string &algorithm) { return algorithm.empty() ? nullptr : algorithm.c_str(); }

    // Does the algorithm run with the parameters as they are, and is its result right?
    bool right(const std::string &algorithm) {
        workload_->restore_device(true);
        const auto status = workload_->enqueue(context_, name_of(algorithm));
        if (status == GP_ERROR_ALGORITHM_REFUSED || status == GP_ERROR_BUILD || status == GP_ERROR_LAUNCH) return false;
        check(status);
        workload_->fetch();
        if (workload_->right()) return true;
        progress_.clear();
        std::fprintf(stderr, "%s gave a wrong result and is left out\n",
                     algorithm.empty() ? "the default" : algorithm.c_str());
        return false;
    }

    // How many times as fast a candidate is as what is set now; 0 where it can't run.
    double gain(const Parameter &parameter, size_t candidate) {
        set(parameter, candidate);
        if (!right(parameter.algorithm)) {
            set(parameter, parameter.value);
            return 0;
        }
        std::vector<double> ratios;
        for (size_t i = 0; i < kRounds; ++i) {
            set(parameter, parameter.value);
            const auto now = once(parameter.algorithm);
            set(parameter, candidate);
            ratios.push_back(now / once(parameter.algorithm));
            if (i == 2 && median(ratios) < 0.8) break;
        }
        set(parameter, parameter.value);
        return median(ratios);
    }

    // Each parameter in turn, until none of them helps or the time is over.
    void search(const std::string &algorithm) {
        for (bool better = true; better && !over();) {
            better = false;
            for (auto &parameter : parameters_) {
                if (parameter.algorithm != algorithm || parameter.is_crossover()) continue;
                double best = kGain;
                size_t found = parameter.value;
                for (const auto candidate : parameter.values) {
                    if (candidate == parameter.value || over()) continue;
                    show(parameter, candidate);
                    auto ratio = gain(parameter, candidate);
                    if (ratio > best) ratio = std::min(ratio, gain(parameter, candidate)); // chance seldom helps twice
                    if (ratio > best) best = ratio, found = candidate;
                }
                if (found == parameter.value) continue;
                progress_.clear();
                std::printf("%s %s: %zu, %.2f times as fast as %zu\n", algorithm.c_str(), parameter.name.c_str(), found,
                            best, parameter.value);
                std::fflush(stdout);
                parameter.value = found;
                set(parameter, found);
                better = true;
            }
        }
        const auto milliseconds = once(algorithm);
        progress_.clear();
        if (operation_->limit == Limit::fma)
            std::printf("%s: %.0f Gop/s with", algorithm.c_str(), workload_->operations / milliseconds * 1e-6);
        else
            std::printf("%s: %.2f GB/s with", algorithm.c_str(), workload_->bytes / milliseconds * 1e-6);
        for (const auto &each : parameters_)
            if (each.algorithm == algorithm && !each.is_crossover())
                std::printf(" %s %zu%s", each.name.c_str(), each.value, each.value == each.preset ? " (preset)" : "");
        std::printf("\n");
    }

    void show(const Parameter &parameter, size_t candidate) {
        progress_.show(parameter.algorithm + ", " + parameter.name + " " + std::to_string(candidate) + ", up to " +
                       to_text(options_.seconds) + " s");
    }

    // How many times as fast the algorithm is on n elements as what takes its place where `other`
    // is the parameter's value; 0 where it can't run.
    double gain_at(const Parameter &parameter, size_t n, size_t other) {
        workload_ = workload(n);
        set(parameter, other);
        if (!right(parameter.algorithm) || !right("")) return 0;
        std::vector<double> ratios;
        for (size_t i = 0; i < kRounds; ++i) {
            const auto otherwise = once("");
            ratios.push_back(otherwise / once(parameter.algorithm));
        }
        return median(ratios);
    }

    // From which size on, or up to which, the algorithm is the faster one: values are tried from
    // those on at which it is, one after the other, as long as it stays so. The last of them lets
    // no other algorithm take its place, and is not tried.
    void cross(Parameter &parameter) {
        auto values = parameter.values;
        if (parameter.is_least()) std::reverse(values.begin(), values.end());
        const auto last = values.front();
        size_t found = 0;
        double best = 0;
        for (auto each = values.begin() + 1; each != values.end() && !over(); ++each) {
            show(parameter, *each);
            const auto ratio = gain_at(parameter, parameter.name == "above" ? *each + 1 : *each, last);
            if (ratio == 0 && found == 0) continue; // too large, or too small
            if (ratio < kGain) break;
            found = *each;
            best = ratio;
        }
        set(parameter, parameter.value);
        progress_.clear();
        if (found == 0 || found == parameter.value) return;
        std::printf("%s %s: %zu, where it is %.2f times as fast as what it replaces; it was %zu\n",
                    parameter.algorithm.c_str(), parameter.name.c_str(), found, best, parameter.value);
        std::fflush(stdout);
        parameter.value = found;
        set(parameter, found);
    }

    void save() {
        for (const auto &each : parameters_)
            if (each.value == each.preset) set(each, 0);
        if (options_.dry_run) return;
        const auto file = options_.file.empty() ? std::string(gp_tuning_file()) : options_.file;
        check(gp_tuning_save(context_, file.c_str()));
        std::printf("written to %s\n", file.c_str());
    }

    bool over() const { return watch_.milliseconds() > options_.seconds * 1000; }

    const TuneOptions options_;
    const Operation *operation_ = nullptr;
    Context context_;
    gp_dtype dtype_ = 0;
    std::unique_ptr<Workload> workload_;
    std::vector<Parameter> parameters_;
    std::string title_;
    Progress progress_;
    Stopwatch watch_;
};

} // namespace

// Where calls on host pointers end first, of one operation or of all, on one type or on those that
// programs use most.
int tune_places(const TuneOptions &options, const Context &context) {
    if (*gp_places_file() == '\0')
        throw Failure("there is no file for what is measured: GPCL_PLACES is off, or there is no home folder");
    Progress progress;
    for (const auto *each : operations()) {
        if (options.op != "all" && options.op != each->name) continue;
        const auto dtype = options.dtype ? options.dtype : each->dtype;
        progress.show(std::string(each->name) + " " + gp_dtype_name(dtype));
        check(gp_places_measure(context, each->code, dtype));
    }
    progress.clear();
    std::printf("written to %s\n", gp_places_file());
    return 0;
}

int tune(const TuneOptions &options) {
    {
        const Context context(options.device);
        if (std::string(context.info().selector) == "auto") return tune_places(options, context);
    }
    if (options.op == "all") throw Failure("all operations together are for --device auto; expected one of them");
    return Tuner(options).run();
}

} // namespace command
