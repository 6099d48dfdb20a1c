// How gpcl bench shows what it measured: a table for people, or an object a line.
// SPDX-License-Identifier: MIT
#include "bench.h"
#include "system.h"
#include "words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace command {

namespace {

using nlohmann::ordered_json;

std::string now() {
    char text[32];
    const auto time = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

const char *limit_name(const Operation &operation) { return operation.limit == Limit::copy ? "copy" : "fma"; }

double per_second(double count, const Measurement &measurement) {
    return measurement.device_ms > 0 ? count / measurement.device_ms * 1e-6 : 0;
}

// Three digits or more, as a table wants them.
std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text,
                  value >= 100  ? "%.0f"
                  : value >= 10 ? "%.1f"
                  : value >= 1  ? "%.2f"
                                : "%.3f",
                  value);
    return text;
}

ordered_json describe(const std::vector<Kernel> &kernels) {
    auto list = ordered_json::array();
    for (const auto &kernel : kernels)
        list.push_back({{"name", kernel.name},
                        {"launches", kernel.launches},
                        {"ms", kernel.ms},
                        {"global_size", kernel.global_size},
                        {"work_group", kernel.work_group},
                        {"local_bytes", kernel.local_bytes},
                        {"private_bytes", kernel.private_bytes}});
    return list;
}

} // namespace

std::string size_text(const Operation &operation, const Work &work) {
    auto n = std::to_string(work.n);
    if (operation.rows && work.rows > 1) return std::to_string(work.rows) + " x " + n;
    const auto &s = work.shape;
    if (operation.code != GP_MATMUL || (s.m == s.n && s.k == s.n && s.batch == 1)) return n;
    auto shape = std::to_string(s.m) + "x" + n + "x" + std::to_string(s.k);
    if (s.batch > 1) shape.append("x").append(std::to_string(s.batch));
    return shape;
}

BenchPrinter::BenchPrinter(const gp_device_info &info, const BenchOptions &options) : info_(info), json_(options.json) {
    if (const auto columns = terminal_columns(STDOUT_FILENO, 0)) fit(columns, options);
}

void BenchPrinter::fit(size_t columns, const BenchOptions &options) {
    const auto ops = benches(options.op);
    const bool all = !options.algorithms.empty() && options.algorithms[0] == "all";
    size_t op = 2, algorithm = std::strlen("algorithm");
    bool copies = true, products = true;
    for (const auto &each : options.algorithms) algorithm = std::max(algorithm, each.size());
    for (const auto *each : ops) {
        op = std::max(op, std::strlen(each->name));
        (each->limit == Limit::copy ? products : copies) = false;
        for (const auto &one : algorithms_of(each->code))
            if (all && (one.on_host != 0) == (info_.kind == GP_DEVICE_HOST))
                algorithm = std::max(algorithm, std::strlen(one.name));
    }
    if (!options.distributions.empty()) op = std::max(op, std::strlen("sort clustered"));
    op_ = op;
    algorithm_ = algorithm;
    const auto width = [&] {
        const size_t numbers = 1 + (gbps_ ? 1 : 0) + (gops_ ? 1 : 0) + (total_ ? 1 : 0) + (parts_ ? 3 : 0);
        return op + 1 + algorithm + 1 + (type_ ? 8 : 0) + 12 + 9 * numbers + (limit_ ? 21 : 12);
    };
    for (auto *column : {&parts_, &total_, &type_, &limit_})
        if (width() > columns) *column = false;
    if (width() > columns && copies) gops_ = false;
    if (width() > columns && products) gbps_ = false;
}

void BenchPrinter::print(const Operation &operation, const Work &work, const Workload *workload,
                         const Measurement &measurement) {
    if (json_)
        print_json(operation, work, workload, measurement);
    else
        print_row(operation, work, workload, measurement);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Failure("standard output can't be written");
}

void BenchPrinter::note(const std::string &text) {
    if (!json_) print_wrapped(stdout, std::string(op_ + 1, ' ') + text + "\n");
}

void BenchPrinter::print_json(const Operation &operation, const Work &work, const Workload *workload,
                              const Measurement &measurement) const {
    ordered_json line = {{"op", operation.name},
                         {"algorithm", measurement.algorithm},
                         {"dtype", gp_dtype_name(work.dtype)},
                         {"n", work.n}};
    if (operation.rows) line["rows"] = work.rows;
    if (operation.code == GP_MATMUL)
        line.update({{"m", work.shape.m}, {"k", work.shape.k}, {"batch", work.shape.batch}});
    if (operation.code == GP_HISTOGRAM) line["data"] = work.skewed ? "skewed" : "uniform";
    if (operation.code == GP_SORT) line["data"] = work.distribution;
    line.update({{"device", info_.name},
                 {"selector", info_.selector},
                 {"platform", info_.platform},
                 {"driver", info_.driver},
                 {"gpcl", gp_version()},
                 {"date", now()},
                 {"seed", kSeed}});
    if (!measurement.refused.empty()) {
        line["refused"] = measurement.refused;
    } else {
        const auto gbps = per_second(workload->bytes, measurement);
        line.update({{"repeat", measurement.repeat},
                     {"upload_ms", measurement.times.upload},
                     {"run_ms", measurement.times.run},
                     {"download_ms", measurement.times.download},
                     {"total_ms", measurement.times.wall},
                     {"run_device_ms", measurement.device_ms},
                     {"gbps", gbps},
                     {"gops", per_second(workload->operations, measurement)},
                     {"limit", limit_name(operation)},
                     {"peak", measurement.peak},
                     {"peak_unit", operation.limit == Limit::copy ? "GB/s" : "Gop/s"},
                     {"fraction_of_peak", measurement.peak > 0 ? measurement.rate / measurement.peak : 0},
                     {"verified", measurement.verified},
                     {"verification", workload->how},
                     {"error", workload->error},
                     {"kernels", describe(measurement.kernels)}});
        if (operation.code == GP_RECURRENCE) line["mbps_written"] = 1e3 * gbps * (operation.extra == 1 ? 1 : 0.5);
    }
    std::printf("%s\n", line.dump(-1, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

void BenchPrinter::print_header() {
    const auto driver = info_.driver[0] ? std::string(", ") + info_.platform + " " + info_.driver : std::string();
    print_wrapped(stdout, std::string("gpcl ") + gp_version() + " on " + device_name(info_) + driver + ", " + now() +
                              ", seed " + std::to_string(kSeed) + "\n");
    const std::string about = "Medians in ms. total: a call with host pointers, of it upload, run and download by "
                              "the device's clock.\ndevice: the same with data already there, from which the rates "
                              "are taken. of peak: against a copy or fma of\nthis device, measured now.\n";
    const std::string narrow = "Medians in ms. device: a call with data on the device, from which the rates are "
                               "taken. peak: what part that is of a copy or fma of this device, measured now.";
    if (parts_)
        std::fputs(about.c_str(), stdout);
    else
        print_wrapped(stdout, narrow + " A wider terminal shows more columns.\n");
    std::printf("\n%s %s ", padded("op", op_).c_str(), padded("algorithm", algorithm_).c_str());
    if (type_) std::printf("%-7s ", "type");
    std::printf("%11s ", "n");
    if (parts_) std::printf("%8s %8s %8s ", "upload", "run", "download");
    if (total_) std::printf("%8s ", "total");
    std::printf("%8s ", "device");
    if (gbps_) std::printf("%8s ", "GB/s");
    if (gops_) std::printf("%8s ", "Gop/s");
    if (limit_)
        std::printf(" %-10s  %s\n", "of peak", "verified");
    else
        std::printf("%5s %s\n", "peak", "right");
}

void BenchPrinter::print_row(const Operation &operation, const Work &work, const Workload *workload,
                             const Measurement &measurement) {
    if (!header_) print_header();
    header_ = true;
    const auto n = size_text(operation, work);
    std::string label = operation.name;
    if (work.distribution != "random") label.append(" ").append(work.distribution);
    auto row = padded(label, op_) + " " + padded(measurement.algorithm, algorithm_) + " ";
    if (type_) row += padded(gp_dtype_name(work.dtype), 7) + " ";
    row += padded("", 11 - std::min<size_t>(n.size(), 11)) + n + " ";
    if (!measurement.refused.empty()) return print_wrapped(stdout, row + "refused: " + measurement.refused + "\n");
    std::fputs(row.c_str(), stdout);
    const auto &times = measurement.times;
    std::vector<double> values;
    if (parts_) values = {times.upload, times.run, times.download};
    if (total_) values.push_back(times.wall);
    values.push_back(measurement.device_ms);
    if (gbps_) values.push_back(per_second(workload->bytes, measurement));
    if (gops_) values.push_back(per_second(workload->operations, measurement));
    for (const auto value : values) std::printf("%8s ", number(value).c_str());
    const auto part = measurement.peak > 0 ? 100 * measurement.rate / measurement.peak : 0;
    const char *right = measurement.verified ? "yes" : "WRONG";
    if (limit_)
        std::printf(" %3.0f %% %-4s  %s\n", part, limit_name(operation), right);
    else
        std::printf("%3.0f %% %s\n", part, right);
}

} // namespace command
