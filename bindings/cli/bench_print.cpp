// How gpcl bench shows what it measured: a table for people, or an object a line.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>

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

BenchPrinter::BenchPrinter(const gp_device_info &info, bool json) : info_(info), json_(json) {}

void BenchPrinter::print(const Operation &operation, const Work &work, const Workload *workload,
                         const Measurement &measurement) {
    if (json_)
        print_json(operation, work, workload, measurement);
    else
        print_row(operation, work, workload, measurement);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Failure("standard output can't be written");
}

void BenchPrinter::note(const std::string &text) {
    if (!json_) std::printf("%-18s %s\n", "", text.c_str());
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

void BenchPrinter::print_row(const Operation &operation, const Work &work, const Workload *workload,
                             const Measurement &measurement) {
    if (!header_) {
        const auto driver = info_.driver[0] ? std::string(", ") + info_.platform + " " + info_.driver : std::string();
        std::printf("gpcl %s on %s%s, %s, seed %llu\n", gp_version(), device_name(info_).c_str(), driver.c_str(),
                    now().c_str(), static_cast<unsigned long long>(kSeed));
        std::printf("Medians in ms. total: a call with host pointers, of it upload, run and download by the device's "
                    "clock.\ndevice: the same with data already there, from which the rates are taken. of peak: "
                    "against a copy or fma of\nthis device, measured now.\n\n");
        std::printf("%-18s %-27s %-7s %11s %8s %8s %8s %8s %8s %8s %8s  %-10s  %s\n", "op", "algorithm", "type", "n",
                    "upload", "run", "download", "total", "device", "GB/s", "Gop/s", "of peak", "verified");
        header_ = true;
    }
    const auto n = size_text(operation, work);
    std::string label = operation.name;
    if (work.distribution != "random") label.append(" ").append(work.distribution);
    std::printf("%-18s %-27s %-7s %11s ", label.c_str(), measurement.algorithm.c_str(), gp_dtype_name(work.dtype),
                n.c_str());
    if (!measurement.refused.empty()) {
        std::printf("refused: %s\n", measurement.refused.c_str());
        return;
    }
    const auto &times = measurement.times;
    for (const auto value : {times.upload, times.run, times.download, times.wall, measurement.device_ms,
                             per_second(workload->bytes, measurement), per_second(workload->operations, measurement)})
        std::printf("%8s ", number(value).c_str());
    std::printf(" %3.0f %% %-4s  %s\n", measurement.peak > 0 ? 100 * measurement.rate / measurement.peak : 0,
                limit_name(operation), measurement.verified ? "yes" : "WRONG");
}

} // namespace command
