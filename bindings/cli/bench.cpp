// gpcl bench: times operations on random data, checks each result, and sets the rate beside the
// device's peak.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "system.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace command {

namespace {

constexpr Operation kBenches[] = {
    // name, code, workload, extra, type, limit, n on CPUs, n on GPUs, rows
    {"matmul", GP_MATMUL, matmul_workload, GP_PLUS_TIMES, GP_FLOAT32, Limit::fma, 1024, 4096, 0},
    {"min-plus", GP_MATMUL, matmul_workload, GP_MIN_PLUS, GP_FLOAT32, Limit::fma, 1000, 4000, 0},
    {"paths", GP_PATHS, paths_workload, 0, GP_FLOAT32, Limit::fma, 1024, 4096, 0},
    {"scan", GP_SCAN, scan_workload, 0, GP_INT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"sort", GP_SORT, sort_workload, 0, GP_UINT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"sort-rows", GP_SORT, sort_rows_workload, 0, GP_UINT32, Limit::copy, 1000, 1000, 1 << 14},
    {"sort-segments", GP_SORT, sort_rows_workload, 1, GP_UINT32, Limit::copy, 1000, 1000, 1 << 14},
    {"reduce", GP_REDUCE, reduce_workload, 0, GP_INT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"arg-reduce", GP_ARG_REDUCE, arg_reduce_workload, 0, GP_INT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"top-k", GP_TOP_K, top_k_workload, 0, GP_FLOAT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"merge", GP_MERGE, merge_workload, 0, GP_UINT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"search", GP_SEARCH, search_workload, 0, GP_INT32, Limit::copy, 1 << 20, 1 << 24, 0},
    {"is-sorted", GP_IS_SORTED, is_sorted_workload, 0, GP_INT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"run-lengths", GP_RUN_LENGTHS, run_lengths_workload, 0, GP_INT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"reduce-by-key", GP_REDUCE_BY_KEY, reduce_by_key_workload, 0, GP_INT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"scan-by-key", GP_SCAN_BY_KEY, scan_by_key_workload, 0, GP_INT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"repeat", GP_REPEAT, repeat_workload, 0, GP_FLOAT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"unique", GP_UNIQUE, unique_workload, 1, GP_UINT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"unique-counts", GP_UNIQUE, unique_workload, 0, GP_UINT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"histogram", GP_HISTOGRAM, histogram_workload, 0, GP_UINT8, Limit::copy, 1 << 26, 1 << 28, 0},
    {"histogram-weighted", GP_HISTOGRAM_WEIGHTED, weighted_histogram_workload, 0, GP_FLOAT32, Limit::copy, 1 << 24,
     1 << 26, 0},
    {"recurrence", GP_RECURRENCE, recurrence_workload, 0, GP_FLOAT32, Limit::copy, 1 << 22, 1 << 26, 1},
    {"fibonacci", GP_RECURRENCE, recurrence_workload, 1, GP_FLOAT64, Limit::copy, 1024, 1024, 1024},
    {"recurrence-varying", GP_RECURRENCE_VARYING, recurrence_varying_workload, 0, GP_FLOAT32, Limit::copy, 1 << 22,
     1 << 26, 1},
    {"select", GP_SELECT, select_workload, 2, GP_UINT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"select-few", GP_SELECT, select_workload, 1000, GP_UINT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"gather", GP_GATHER, gather_workload, 0, GP_UINT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"scatter", GP_GATHER, gather_workload, 1, GP_UINT32, Limit::copy, 1 << 22, 1 << 26, 0},
    {"transpose", GP_TRANSPOSE_MATRIX, transpose_workload, 0, GP_FLOAT32, Limit::copy, 3000, 16384, 0},
    {"merge-runs", GP_MERGE_RUNS, merge_runs_workload, 0, GP_UINT32, Limit::copy, 1 << 20, 1 << 25, 8},
    {"transform", GP_TRANSFORM, transform_workload, 0, GP_FLOAT32, Limit::copy, 1 << 24, 1 << 28, 0},
    {"difference", GP_DIFFERENCE, difference_workload, 0, GP_INT32, Limit::copy, 1 << 24, 1 << 28, 0},
};

// ---- Ctrl-C: ends the command whatever it does, but not in the middle of a line -----------------

std::mutex printing; // held while a line is printed
void catch_interrupt() {
    on_interrupt([] {
        printing.lock(); // for good: nothing more is printed
        Progress::end();
        std::fflush(stdout);
    });
}

// ---- One measurement ----------------------------------------------------------------------------

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::vector<size_t> sizes_of(const size_t (&sizes)[3]) {
    std::vector<size_t> result;
    for (const auto size : sizes)
        if (size) result.push_back(size);
    return result;
}

size_t product(const std::vector<size_t> &sizes) {
    size_t result = 1;
    for (const auto size : sizes) result *= size;
    return result;
}

// Every kernel of a call, those of the same name and work-group together.
std::vector<Kernel> kernels_of(gp_event *event) {
    gp_timing timing = GP_TIMING_INIT;
    check(gp_event_timing(event, &timing));
    std::vector<Kernel> kernels;
    for (size_t i = 0; i < timing.commands; ++i) {
        gp_command command = GP_COMMAND_INIT;
        check(gp_event_command(event, i, &command));
        if (command.kind != GP_KERNEL) continue;
        const auto group = sizes_of(command.local_size), global = sizes_of(command.global_size);
        auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel &each) {
            return each.name == command.name && each.work_group == group;
        });
        if (kernel == kernels.end()) {
            kernels.emplace_back();
            kernel = kernels.end() - 1;
            kernel->name = command.name;
            kernel->work_group = group;
        }
        ++kernel->launches;
        kernel->ms += static_cast<double>(command.run_ns) * 1e-6;
        if (kernel->global_size.empty() || product(global) > product(kernel->global_size)) kernel->global_size = global;
        kernel->local_bytes = std::max(kernel->local_bytes, command.local_bytes);
        kernel->private_bytes = std::max(kernel->private_bytes, command.private_bytes);
    }
    return kernels;
}

constexpr double kLong = 3000; // milliseconds of a call that is not repeated unless that is asked for

class Bench {
  public:
    explicit Bench(const BenchOptions &options)
        : options_(options), context_(options.device), info_(context_.info()), printer_(info_, options),
          picture_(info_, options.plot, options.bars) {}

    int run() {
        if (const auto problem = picture_.problem(); !problem.empty()) {
            if (options_.json) throw Failure(problem);
            std::fprintf(stderr, "gpcl bench: %s; bars of text take its place\n", problem.c_str());
        }
        for (const auto *operation : benches(options_.op)) run(*operation);
        if (!options_.plot.empty()) progress_.show("drawing " + options_.plot);
        picture_.draw();
        progress_.clear();
        if (wrong_) throw Failure(std::to_string(wrong_) + " results are wrong; `gpcl selftest` tells more");
        return 0;
    }

  private:
    // Whether a request that can't be served is one of many, to be shown and passed over.
    bool of_many() const { return all_algorithms() || options_.algorithms.size() > 1 || options_.op == "all"; }
    bool all_algorithms() const { return !options_.algorithms.empty() && options_.algorithms[0] == "all"; }

    void run(const Operation &operation) {
        Work work{options_.dtype ? options_.dtype : operation.dtype,
                  0,
                  {},
                  options_.rows ? options_.rows : operation.rows,
                  options_.skewed,
                  operation.extra,
                  "random"};
        auto sizes = options_.n;
        auto shapes = operation.code == GP_MATMUL ? options_.shapes : std::vector<Shape>();
        if (sizes.empty() && shapes.empty()) sizes = {info_.kind == GP_DEVICE_GPU ? operation.gpu_n : operation.cpu_n};
        for (const auto n : sizes) shapes.push_back({n, n, n, 1});
        std::vector<std::string> distributions;
        if (operation.code == GP_SORT) distributions = options_.distributions;
        if (distributions.empty()) distributions.emplace_back("random");
        if (distributions[0] == "all") distributions.assign(std::begin(kDistributions), std::end(kDistributions));
        for (const auto &shape : shapes)
            for (const auto &distribution : distributions) {
                work.n = shape.n;
                work.shape = shape;
                work.distribution = distribution;
                run(operation, work);
            }
        const std::lock_guard lock(printing);
        if (!options_.json) picture_.print_bars(operation);
    }

    void run(const Operation &operation, const Work &work) {
        std::unique_ptr<Workload> workload;
        bool verified = false;
        for (const auto &algorithm : algorithms(operation)) {
            progress_.show(std::string(operation.name) + " " + algorithm + ", n = " + size_text(operation, work));
            Measurement measurement;
            measurement.algorithm = algorithm;
            try {
                if (!workload) {
                    check(gp_warmup(context_, operation.code, work.dtype)); // refuses types before there is data
                    workload = operation.workload(work);
                }
                measure(operation, work, *workload, measurement);
            } catch (const Failure &failure) {
                const bool refusal = failure.status == GP_ERROR_ALGORITHM_REFUSED ||
                                     failure.status == GP_ERROR_UNSUPPORTED_TYPE ||
                                     failure.status == GP_ERROR_UNSUPPORTED_DEVICE ||
                                     failure.status == GP_ERROR_TOO_LARGE || failure.status == GP_ERROR_DEVICE_MEMORY;
                if (!refusal || !of_many()) throw;
                measurement.refused = failure.what();
            } catch (const std::bad_alloc &) {
                if (!of_many()) throw;
                measurement.refused = "not enough memory on the host";
            }
            progress_.clear();
            {
                const std::lock_guard lock(printing);
                printer_.print(operation, work, workload.get(), measurement);
                picture_.add(operation, work, measurement);
            }
            verified = verified || measurement.verified;
            if (measurement.refused.empty() && !measurement.verified) ++wrong_;
        }
        const std::lock_guard lock(printing);
        if (verified) printer_.note("verified: " + workload->how);
    }

    // "default", those that are asked for, or all that are made for this device.
    std::vector<std::string> algorithms(const Operation &operation) const {
        if (options_.algorithms.empty()) return {"default"};
        if (!all_algorithms()) return options_.algorithms;
        std::vector<std::string> names;
        for (const auto &each : algorithms_of(operation.code))
            if ((each.on_host != 0) == (info_.kind == GP_DEVICE_HOST)) names.emplace_back(each.name);
        return names;
    }

    void measure(const Operation &operation, const Work &work, Workload &workload, Measurement &measurement) {
        const auto name = measurement.algorithm == "default" ? nullptr : measurement.algorithm.c_str();
        measure_host(workload, name, measurement);
        measurement.verified = workload.right();
        measure_device(workload, name, measurement);
        measurement.verified = workload.right() && measurement.verified;
        measurement.peak = peak(operation.limit, work.dtype);
        const auto amount = operation.limit == Limit::copy ? workload.bytes : workload.operations;
        measurement.rate = amount / measurement.device_ms * 1e-6;
    }

    size_t repeats(double warm_up) const { return options_.repeat ? options_.repeat : warm_up > kLong ? 1 : 5; }

    // The call with host pointers, by the device's clock and by ours.
    void measure_host(Workload &workload, const char *name, Measurement &measurement) {
        check(gp_profile(context_, 1));
        std::vector<double> upload, run, download, wall;
        const auto once = [&](bool first) {
            workload.restore(first);
            Event event;
            const Stopwatch watch;
            check(workload.call(context_, name, event.out()));
            wall.push_back(watch.milliseconds());
            const auto times = event.times();
            upload.push_back(times.upload);
            run.push_back(times.run);
            download.push_back(times.download);
            // The kernels of the repeat whose run is the median so far: of an odd number, at the
            // end, the median's.
            if (times.run == median(run)) measurement.kernels = kernels_of(event.get());
        };
        once(true);
        measurement.repeat = repeats(wall[0]);
        for (auto *times : {&upload, &run, &download, &wall}) times->clear();
        for (size_t i = 0; i < measurement.repeat; ++i) once(false);
        measurement.times = {median(upload), median(run), median(download), median(wall), 0};
    }

    // The call on buffers, without recording times, which would lengthen it.
    void measure_device(Workload &workload, const char *name, Measurement &measurement) {
        check(gp_profile(context_, 0));
        workload.put(context_);
        std::vector<double> times;
        const auto once = [&](bool first) {
            workload.restore_device(first);
            const Stopwatch watch;
            check(workload.enqueue(context_, name));
            check(gp_finish(context_));
            times.push_back(watch.milliseconds());
        };
        once(true);
        const auto repeat = repeats(times[0]);
        times.clear();
        for (size_t i = 0; i < repeat; ++i) once(false);
        measurement.device_ms = median(times);
        workload.restore(true); // so that the result can't be the other form's
        workload.fetch();
        workload.leave_device();
    }

    double peak(Limit limit, gp_dtype dtype) {
        const std::pair key(limit, limit == Limit::copy ? 0 : dtype);
        const auto [found, is_new] = peaks_.try_emplace(key, 0);
        if (is_new) {
            progress_.show(limit == Limit::copy ? "copying" : "multiplying and adding");
            found->second = measure_peak(context_, info_, limit, dtype);
        }
        return found->second;
    }

    const BenchOptions options_;
    Context context_;
    const gp_device_info info_;
    BenchPrinter printer_;
    BenchPicture picture_;
    Progress progress_;
    std::map<std::pair<Limit, gp_dtype>, double> peaks_;
    size_t wrong_ = 0;
};

} // namespace

std::vector<const Operation *> operations() {
    std::vector<const Operation *> result;
    for (const auto &each : kBenches) {
        const auto is_variant = [&](const Operation *other) { return other->code == each.code; };
        if (std::none_of(result.begin(), result.end(), is_variant)) result.push_back(&each);
    }
    return result;
}

std::vector<const Operation *> benches(const std::string &op) {
    std::vector<const Operation *> result;
    for (const auto &each : kBenches)
        if (op == "all" || op == each.name) result.push_back(&each);
    return result;
}

std::vector<gp_algorithm_info> algorithms_of(gp_operation code) {
    size_t count = 0;
    check(gp_algorithms(code, &count));
    std::vector<gp_algorithm_info> result(count);
    for (size_t i = 0; i < count; ++i) {
        result[i].struct_size = sizeof result[i];
        check(gp_algorithm_describe(code, i, &result[i]));
    }
    return result;
}

std::vector<std::string> bench_names() {
    std::vector<std::string> names;
    for (const auto &each : kBenches) names.emplace_back(each.name);
    return names;
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const auto *each : operations()) names.emplace_back(each->name);
    return names;
}

std::vector<std::string> algorithm_names(const std::string &operation) {
    std::vector<std::string> names;
    for (const auto *each : benches(operation))
        for (const auto &algorithm : algorithms_of(each->code)) names.emplace_back(algorithm.name);
    return names;
}

int bench(const BenchOptions &options) {
    catch_interrupt();
    return Bench(options).run();
}

} // namespace command
