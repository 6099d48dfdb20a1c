// gpcl bench: operations on random data, their times, and an oracle beside them.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands.h"
#include "support.h"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace command {

constexpr uint64_t kSeed = 2013;
using Random = std::mt19937_64;

// What to run: one operation on one size.
struct Work {
    gp_dtype dtype;
    size_t n;
    Shape shape;              // of a product
    size_t rows;              // of a recurrence or a sort, runs that are merged; each of n elements
    bool skewed;              // a histogram's data: nearly all of it one value
    uint64_t extra;           // what the operation's entry in the list below says
    std::string distribution; // of keys to sort
};

// An operation at work on random data: its two forms, its oracle, and its data on either side.
class Workload {
  public:
    virtual ~Workload() = default;

    double bytes = 0;      // the memory traffic that it can't do without
    double operations = 0; // what a rate is counted in: arithmetic of products and recurrences, else elements
    double error = 0;      // relative, of the last result that was checked; 0 where results are exact
    std::string how;       // in which way results are checked

    virtual gp_status call(gp_context *context, const char *algorithm, gp_event **event) = 0;
    virtual gp_status enqueue(gp_context *context, const char *algorithm) = 0;
    virtual bool right() = 0; // whether `output` is

    // Before a call: gives an operation in place its input. The first of an algorithm also wipes
    // out older results.
    void restore(bool first);
    void put(gp_context *context); // the inputs onto the device
    void restore_device(bool first);
    void fetch(); // the result of enqueue into the output
    void leave_device() { buffers_.clear(); }

  protected:
    template <typename T> T *input(size_t number) { return reinterpret_cast<T *>(inputs_[number].data()); }
    template <typename T> T *output() { return reinterpret_cast<T *>(output_.data()); }
    // Allocates; `f` returns the next element.
    template <typename T, typename F> void add_input(size_t count, F &&f) {
        inputs_.emplace_back(count * sizeof(T));
        for (auto *at = input<T>(inputs_.size() - 1), *end = at + count; at != end; ++at) *at = f();
    }
    void set_output(size_t bytes, bool in_place = false) {
        output_.resize(bytes);
        in_place_ = in_place;
    }
    gp_buffer *input_buffer(size_t number) { return buffers_[number]; }
    gp_buffer *output_buffer() { return buffers_.back(); }

  private:
    std::vector<std::vector<std::byte>> inputs_;
    std::vector<std::byte> output_;
    std::vector<Buffer> buffers_; // the inputs, then the output
    bool in_place_ = false;
};

// What keys to sort can be like.
constexpr const char *kDistributions[] = {"random",  "sorted", "reversed", "equal",    "few",
                                          "one-bit", "zipf",   "outlier",  "clustered"};

std::unique_ptr<Workload> matmul_workload(const Work &work); // extra: the semiring
std::unique_ptr<Workload> paths_workload(const Work &work);
std::unique_ptr<Workload> scan_workload(const Work &work);
std::unique_ptr<Workload> reduce_workload(const Work &work);
std::unique_ptr<Workload> arg_reduce_workload(const Work &work);
std::unique_ptr<Workload> top_k_workload(const Work &work);
std::unique_ptr<Workload> search_workload(const Work &work);
std::unique_ptr<Workload> is_sorted_workload(const Work &work);
std::unique_ptr<Workload> transform_workload(const Work &work);
std::unique_ptr<Workload> difference_workload(const Work &work);
std::unique_ptr<Workload> gather_workload(const Work &work); // extra: 1 for scatter
std::unique_ptr<Workload> transpose_workload(const Work &work);
std::unique_ptr<Workload> run_lengths_workload(const Work &work);
std::unique_ptr<Workload> reduce_by_key_workload(const Work &work);
std::unique_ptr<Workload> scan_by_key_workload(const Work &work);
std::unique_ptr<Workload> repeat_workload(const Work &work);
std::unique_ptr<Workload> unique_workload(const Work &work); // extra: 1 with the inverse
std::unique_ptr<Workload> sort_workload(const Work &work);
std::unique_ptr<Workload> sort_rows_workload(const Work &work); // extra: 1 for segments of random lengths
std::unique_ptr<Workload> merge_workload(const Work &work);
std::unique_ptr<Workload> merge_runs_workload(const Work &work);
std::unique_ptr<Workload> select_workload(const Work &work); // extra: one of how many is kept
std::unique_ptr<Workload> histogram_workload(const Work &work);
std::unique_ptr<Workload> weighted_histogram_workload(const Work &work);
std::unique_ptr<Workload> recurrence_workload(const Work &work); // extra: 1 for Fibonacci's numbers
std::unique_ptr<Workload> recurrence_varying_workload(const Work &work);

enum class Limit { copy, fma };

struct Operation {
    const char *name;
    gp_operation code;
    std::unique_ptr<Workload> (*workload)(const Work &);
    uint64_t extra;
    gp_dtype dtype; // the default
    Limit limit;    // which of the device's peaks bounds it
    size_t cpu_n, gpu_n, rows;
};

// What gpcl bench runs, without the variants: those that come after another one of the same code.
std::vector<const Operation *> operations();

// Those that OP of gpcl bench stands for: one, or all of them.
std::vector<const Operation *> benches(const std::string &op);

std::vector<gp_algorithm_info> algorithms_of(gp_operation code);

// The device's peak, measured by a short run of its own: copy in GB/s (read and written), fma in
// Gop/s (two each).
double measure_peak(gp_context *context, const gp_device_info &info, Limit limit, gp_dtype dtype);

struct Kernel {
    std::string name;
    size_t launches = 0;
    double ms = 0;
    std::vector<size_t> global_size, work_group; // of the largest launch; no work_group where OpenCL chose
    uint64_t local_bytes = 0, private_bytes = 0;
};

// One line of the result.
struct Measurement {
    std::string algorithm;
    std::string refused;  // the reason, where there is no result
    Times times;          // medians
    double device_ms = 0; // with the data on the device, from enqueue to finish
    double peak = 0, rate = 0;
    size_t repeat = 0;
    bool verified = false;
    std::vector<Kernel> kernels;
};

// "1000", "5 x 1000" (rows of a recurrence), "1000x3000x77x4" (m, n, k, batch).
std::string size_text(const Operation &operation, const Work &work);

// Prints measurements as they come. Throws where standard output can't be written.
class BenchPrinter {
  public:
    BenchPrinter(const gp_device_info &info, const BenchOptions &options);
    void print(const Operation &operation, const Work &work, const Workload *workload, const Measurement &measurement);
    void note(const std::string &text); // below the rows of a table

  private:
    void print_json(const Operation &, const Work &, const Workload *, const Measurement &) const;
    void print_row(const Operation &, const Work &, const Workload *, const Measurement &);
    void fit(size_t columns, const BenchOptions &options);
    void print_header();

    // How wide the first columns of the table are, and which others it has: on a terminal those
    // that there is room for.
    size_t op_ = 18, algorithm_ = 27;
    bool parts_ = true, total_ = true, type_ = true, limit_ = true, gbps_ = true, gops_ = true;
    const gp_device_info info_;
    const bool json_;
    bool header_ = false;
};

// Collects measurements and shows their rates: in a figure at the end (an empty file name: none),
// and in bars of text.
class BenchPicture {
  public:
    // Throws where the file can't be written. Without a tool to draw it, bars take its place.
    BenchPicture(const gp_device_info &info, const std::string &file, bool bars);
    std::string problem() const; // why there will be no figure that was asked for, or ""
    void add(const Operation &operation, const Work &work, const Measurement &measurement);
    void print_bars(const Operation &operation) const;
    void draw() const; // throws where it can't

  private:
    struct Point {
        const Operation *operation;
        std::string series, label, size;
        double n, rate;
    };
    enum class Tool { none, gnuplot, matplotlib };

    const gp_device_info info_;
    const std::string file_;
    std::filesystem::path target_; // with links resolved
    bool bars_, other_shapes_ = false;
    Tool tool_ = Tool::none;
    std::vector<Point> points_;
    std::map<Limit, std::map<std::string, double>> peaks_;
};

} // namespace command
