// What gpcl bench measured as a picture: a figure drawn by gnuplot or by Python's matplotlib, and
// bars of text.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include "system.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <unistd.h>

namespace command {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr char kFindMatplotlib[] = "import sys\n"
                                   "sys.path[:] = [each for each in sys.path if each]\n" // not from this folder
                                   "import matplotlib\n";

constexpr char kDrawByMatplotlib[] = R"(
import json, sys
matplotlib.use("Agg")
import matplotlib.pyplot as plt
figure = json.load(sys.stdin)
panels = figure["panels"]
heights = [0.6 + 0.3 * len(p["series"]) if p["bars"] else 4.2 for p in panels]
fig, axes = plt.subplots(len(panels), 1, figsize=(9, sum(heights) + 0.9 * len(panels)), squeeze=False,
                         gridspec_kw={"height_ratios": heights}, constrained_layout=True)
fig.suptitle(figure["title"].replace("$", r"\$"), fontsize=11)
for p, ax in zip(panels, axes[:, 0]):
    if p["bars"]:
        ax.barh([s["label"] for s in p["series"]], [s["y"][0] for s in p["series"]], height=0.7)
        for i, s in enumerate(p["series"]):
            ax.annotate(f"{s['y'][0]:.3g}", (s["y"][0], i), (3, 0), textcoords="offset points", va="center", fontsize=9)
        ax.invert_yaxis()
        ax.margins(x=0.1)
        ax.set_xlabel(p["rate"])
        for number, peak in enumerate(p["peaks"]):
            ax.axvline(peak["value"], color="0.4", linestyle=["--", ":", "-."][number % 3], label=peak["label"])
    else:
        for i, s in enumerate(p["series"]):
            ax.loglog(s["x"], s["y"], marker="os^vDPX*"[i % 8], color=f"C{i % 10}", label=s["label"],
                      linestyle=["-", "--", "-."][i // 10 % 3])
        ax.set_xlabel(p["size"])
        ax.set_ylabel(p["rate"])
        ax.grid(True, which="major", alpha=0.4)
        ax.set_ylim(p["least"], p["most"])
        ax.set_yticks(p["ticks"], [f"{value:g}" for value in p["ticks"]])
        ax.yaxis.set_minor_formatter(plt.NullFormatter())
        for number, peak in enumerate(p["peaks"]):
            ax.axhline(peak["value"], color="0.4", linestyle=["--", ":", "-."][number % 3], label=peak["label"])
    if not p["bars"] or p["peaks"]:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=9)
fig.savefig(sys.argv[1], dpi=120)
)";

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

// A text between gnuplot's single quotes.
std::string quoted(const std::string &text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + "'";
}

// One panel of a figure for gnuplot; its data stands before the multiplot.
struct Panel {
    std::string data, commands;
};

Panel gnuplot_panel(const ordered_json &panel, size_t index) {
    Panel result;
    const auto &series = panel["series"];
    const auto count = series.size();
    const auto block = [&](const std::string &name, const std::string &lines) {
        auto full = "$p" + std::to_string(index) + name;
        result.data += full + " << END\n" + lines + "END\n";
        return full;
    };
    auto &to = result.commands;
    to = "reset\nset key outside right top Left reverse\nset grid\n";
    std::string plots;
    const bool bars = panel["bars"];
    if (bars) {
        std::string tics, lines;
        for (size_t i = 0; i < count; ++i) {
            tics += (i ? ", " : "") + quoted(series[i]["label"]) + " " + std::to_string(i);
            const auto y = number(series[i]["y"][0]);
            char text[32];
            std::snprintf(text, sizeof text, "%.3g", series[i]["y"][0].get<double>());
            lines.append(y).append(" ").append(std::to_string(i)).append(" ").append(text).append("\n");
        }
        const auto data = block("", lines);
        to += "set yrange [" + std::to_string(count) + "-0.5:-0.5]\nset xrange [0:*]\nset ytics (" + tics +
              ")\nset xlabel " + quoted(panel["rate"]) + "\nset style fill solid 0.8\n";
        plots = data + " using 1:2:(0):1:($2-0.35):($2+0.35) with boxxyerror lc 1 notitle, " + data +
                " using 1:2:3 with labels left offset 0.5,0 notitle";
    } else {
        std::string tics;
        for (const auto &tick : panel["ticks"]) tics += (tics.empty() ? "" : ", ") + number(tick);
        to += "set logscale xy\nset format x '%.0s%c'\nset format y '%g'\nset ytics (" + tics + ")\nset yrange [" +
              number(panel["least"]) + ":" + number(panel["most"]) +
              "]\nset autoscale xfix\nset offsets graph 0.03, graph 0.03\n" + "set xlabel " + quoted(panel["size"]) +
              "\nset ylabel " + quoted(panel["rate"]) + "\n";
        for (size_t i = 0; i < count; ++i) {
            std::string lines;
            for (size_t k = 0; k < series[i]["x"].size(); ++k)
                lines += number(series[i]["x"][k]) + " " + number(series[i]["y"][k]) + "\n";
            plots += (i ? ", " : "") + block("s" + std::to_string(i), lines) +
                     " using 1:2 with linespoints lw 2 title " + quoted(series[i]["label"]);
        }
    }
    size_t dash = 2;
    for (const auto &peak : panel["peaks"]) {
        const auto value = number(peak["value"]);
        plots += ", ";
        if (bars) {
            plots += block("peak" + std::to_string(dash),
                           value + " -0.5\n" + value + " " + number(static_cast<double>(count) - 0.5) + "\n") +
                     " using 1:2";
        } else {
            plots += value;
        }
        plots += " with lines lw 2 lc rgb 'gray40' dt " + std::to_string(dash++) + " title " + quoted(peak["label"]);
    }
    to += "plot " + plots + "\n";
    return result;
}

std::string for_gnuplot(const ordered_json &figure, const std::string &file) {
    size_t height = 40; // of the title, in pixels
    std::string data, commands;
    for (size_t i = 0; i < figure["panels"].size(); ++i) {
        const auto &panel = figure["panels"][i];
        height += panel["bars"] ? 110 + 28 * panel["series"].size() : 480;
        const auto parts = gnuplot_panel(panel, i);
        data += parts.data;
        commands += parts.commands;
    }
    std::string terminal;
    if (file.ends_with(".svg"))
        terminal = "svg size 1080," + std::to_string(height) + " noenhanced background 'white'";
    else if (file.ends_with(".pdf"))
        terminal = "pdfcairo size 9in," + number(static_cast<double>(height) / 120) + "in noenhanced font ',9'";
    else
        terminal = "pngcairo size 1080," + std::to_string(height) + " noenhanced";
    return data + "set terminal " + terminal + "\nset output " + quoted(file) + "\nset multiplot layout " +
           std::to_string(figure["panels"].size()) + ",1 title " + quoted(figure["title"]) + "\n" + commands +
           "unset multiplot\nunset output\n";
}

// The range of an axis of rates, and what is marked on it: 1, 2 and 5 of each decade, or decades
// alone.
void add_range(ordered_json &panel, double least, double most) {
    least /= 1.3;
    most *= 1.3;
    auto ticks = ordered_json::array();
    for (double decade = std::pow(10, std::floor(std::log10(least))); decade <= most; decade *= 10)
        for (const double tick : {decade, 2 * decade, 5 * decade})
            if (tick >= least && tick <= most && (tick == decade || most < 2000 * least)) ticks.push_back(tick);
    panel.update({{"least", least}, {"most", most}, {"ticks", ticks}});
}

std::string unit(const Operation &operation) { return operation.limit == Limit::copy ? "GB/s" : "Gop/s"; }

bool is_cube(const Shape &shape) { return shape.m == shape.n && shape.k == shape.n && shape.batch == 1; }

} // namespace

BenchPicture::BenchPicture(const gp_device_info &info, const std::string &file, bool bars)
    : info_(info), file_(file), bars_(bars) {
    if (file.empty()) return;
    target_ = output_file(file);
    std::string problem;
    if (run_program({"gnuplot", "--version"}, "", problem) == 0)
        tool_ = Tool::gnuplot;
    else if (run_program({"python3", "-c", kFindMatplotlib}, "", problem) == 0)
        tool_ = Tool::matplotlib;
    else
        bars_ = true;
}

std::string BenchPicture::problem() const {
    if (file_.empty() || tool_ != Tool::none) return "";
    return file_ + ": --plot needs gnuplot, or python3 with matplotlib; on Debian, install gnuplot-nox or " +
           "python3-matplotlib (--bars draws bars of text)";
}

void BenchPicture::add(const Operation &operation, const Work &work, const Measurement &measurement) {
    if (!measurement.refused.empty() || !(measurement.rate > 0)) return;
    const auto type = std::string(gp_dtype_name(work.dtype));
    auto label = measurement.algorithm;
    if (work.distribution != "random") label += " " + work.distribution;
    double n = static_cast<double>(work.n);
    const auto &shape = work.shape;
    const bool is_product = operation.code == GP_MATMUL;
    if (is_product && !is_cube(shape)) {
        n = std::cbrt(static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) *
                      static_cast<double>(shape.batch));
        other_shapes_ = true;
    } else if (operation.rows) {
        n *= static_cast<double>(work.rows);
    }
    points_.push_back({&operation, std::string(operation.name) + " " + label + " " + type, label,
                       size_text(operation, work), n, measurement.rate});
    const auto peak = operation.limit == Limit::copy ? "copy" : "multiply-add, " + type;
    if (measurement.peak > 0) peaks_[operation.limit][peak + " (peak)"] = measurement.peak;
}

// Rows of one operation, each with a bar as long as its rate, the fastest of all with the longest.
void BenchPicture::print_bars(const Operation &operation) const {
    if (!bars_) return;
    size_t label = std::strlen(operation.name), size = 0;
    double fastest = 0;
    for (const auto &point : points_) {
        if (point.operation != &operation) continue;
        label = std::max(label, point.label.size());
        size = std::max(size, point.size.size());
        fastest = std::max(fastest, point.rate);
    }
    if (fastest == 0) return;
    const auto columns = std::max<size_t>(terminal_columns(STDOUT_FILENO, 80), 40);
    const auto before = label + size + 3 + 2 + 10;
    const auto longest = before + 10 < columns ? std::min<size_t>(columns - before - 1, 60) : 10;
    std::printf("\n  %-*s  %*s %8s\n", static_cast<int>(label), operation.name, static_cast<int>(size), "n",
                unit(operation).c_str());
    for (const auto &point : points_) {
        if (point.operation != &operation) continue;
        const auto length = std::lround(point.rate / fastest * static_cast<double>(longest));
        std::printf("  %-*s  %*s %8.3g %s\n", static_cast<int>(label), point.label.c_str(), static_cast<int>(size),
                    point.size.c_str(), point.rate,
                    std::string(static_cast<size_t>(std::max(length, 1L)), '#').c_str());
    }
    std::printf("\n");
}

void BenchPicture::draw() const {
    if (tool_ == Tool::none) {
        if (!file_.empty()) throw Failure(problem());
        return;
    }
    if (points_.empty()) throw Failure(file_ + ": there is nothing to draw");
    ordered_json figure = {{"title", "gpcl " + std::string(gp_version()) + " on " + device_name(info_)},
                           {"panels", ordered_json::array()}};
    for (const auto limit : {Limit::copy, Limit::fma}) {
        const bool is_copy = limit == Limit::copy;
        std::vector<std::string> labels; // of series, in the order of the rows
        std::map<std::string, std::vector<std::pair<double, double>>> series;
        std::map<std::string, std::string> sizes;
        bool bars = true;
        for (const auto &point : points_) {
            if (point.operation->limit != limit) continue;
            auto &line = series[point.series];
            if (line.empty()) labels.push_back(point.series);
            line.emplace_back(point.n, point.rate);
            sizes[point.series] = point.size;
            bars = bars && line.size() == 1;
        }
        if (labels.empty()) continue;
        ordered_json panel = {
            {"bars", bars},
            {"size", is_copy         ? "n, elements"
                     : other_shapes_ ? "n, or the cube root of m n k batch"
                                     : "n, the side of the matrices"},
            {"rate", is_copy ? "rate with the data on the device, GB/s" : "rate with the data on the device, Gop/s"},
            {"series", ordered_json::array()},
            {"peaks", ordered_json::array()}};
        for (const auto &label : labels) {
            auto &line = series[label];
            std::stable_sort(line.begin(), line.end(), [](auto &a, auto &b) { return a.first < b.first; });
            ordered_json one = {{"label", bars ? label + ", n = " + sizes[label] : label}};
            for (const auto &[n, rate] : line) {
                one["x"].push_back(n);
                one["y"].push_back(rate);
            }
            panel["series"].push_back(one);
        }
        if (const auto peaks = peaks_.find(limit); peaks != peaks_.end())
            for (const auto &[label, value] : peaks->second)
                panel["peaks"].push_back({{"label", label}, {"value", value}});
        double least = std::numeric_limits<double>::max(), most = 0;
        for (const auto &[label, line] : series)
            for (const auto &point : line) {
                least = std::min(least, point.second);
                most = std::max(most, point.second);
            }
        for (const auto &peak : panel["peaks"]) {
            least = std::min(least, peak["value"].get<double>());
            most = std::max(most, peak["value"].get<double>());
        }
        add_range(panel, least, most);
        figure["panels"].push_back(panel);
    }

    // Beside the file, so that it takes the name when it is whole. The name's end is the format.
    const auto name = ".part" + std::to_string(getpid()) + "-" + fs::path(file_).filename().string();
    const auto part = (target_.parent_path() / name).string();
    const auto text = figure.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    std::string problem;
    const int failed =
        tool_ == Tool::gnuplot
            ? run_program({"gnuplot"}, for_gnuplot(ordered_json::parse(text), part), problem)
            : run_program({"python3", "-c", std::string(kFindMatplotlib) + kDrawByMatplotlib, part}, text, problem);
    std::error_code error;
    if (!failed && fs::exists(part, error)) {
        fs::rename(part, target_, error);
        if (error) problem = error.message();
    } else {
        error = std::make_error_code(std::errc::io_error);
    }
    if (!error) return;
    std::error_code ignored;
    fs::remove(part, ignored);
    throw Failure(file_ + ": " + (tool_ == Tool::gnuplot ? "gnuplot" : "matplotlib") +
                  " did not draw it: " + (problem.empty() ? "it gave no reason" : problem));
}

} // namespace command
