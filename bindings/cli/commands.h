// The subcommands of gpcl and their options, as main.cpp fills them. Each returns its exit status:
// 0 or 1.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <optional>
#include <string>
#include <vector>

namespace command {

struct InfoOptions {
    std::string device;
    bool json = false;
    bool algorithms = false; // JSON has them always
};

struct SelftestOptions {
    std::string device;
    size_t max_n = 100003;
    bool every_algorithm = false, prove = false;
    std::string only; // groups whose name holds this text
};

struct DemoOptions {
    std::string device;
    std::string data;
    size_t keys = size_t{1} << 24;
};

// What every operation on files takes. An empty file name means that it was not given.
struct FileOptions {
    std::string device, algorithm;
    bool time = false;
    std::string in, out;
};

struct SortOptions : FileOptions {
    bool descending = false;
    std::optional<int> axis; // of arrays of several dimensions: along which each row is sorted
    std::string segments;    // a file of offsets
    std::string values, values_out;
    gp_dtype index = GP_UINT32;
};

struct SortByOptions : FileOptions {
    std::string comes_before, helpers;
};

struct MergeOptions : FileOptions {
    std::vector<std::string> files; // those that are merged, then the output
    bool descending = false;
};

struct PrefixOptions : FileOptions {
    gp_operator op = GP_ADD;
    bool exclusive = false, reverse = false;
    std::string operator_source, operator_identity, operator_helpers;
    std::string initial, last; // scan: a number or a file that comes before, and a file for what goes on
    bool accumulate = false;   // reduce: what is in OUT comes before
};

struct ArgReduceOptions : FileOptions {
    gp_operator op = GP_MINIMUM;
};

struct TopKOptions : FileOptions {
    size_t k = 0; // 10, or as many as there are
    bool smallest = false;
    std::string values;
};
struct SearchOptions : FileOptions {
    std::string values;
    gp_side side = GP_LEFT;
    bool descending = false;
};

struct GatherOptions : FileOptions {
    std::string positions; // a file
    bool from_end = false;
};

struct TransposeOptions : FileOptions {};

struct IsSortedOptions : FileOptions {
    bool descending = false, strict = false;
};

struct TransformOptions : FileOptions {
    std::vector<std::string> files; // the arrays, then the output
    std::string source, helpers;
    gp_dtype dtype = 0; // of the result; 0: that of the first array
};

struct DifferenceOptions : FileOptions {
    bool keep_first = false;
    std::optional<int> axis; // of arrays of several dimensions
    std::string operator_source, operator_helpers;
};

struct RunLengthsOptions : FileOptions {
    std::string lengths, firsts; // files
};

struct UniqueOptions : FileOptions {
    std::string counts, firsts, inverse; // files
    bool sorted = false;
};

struct ReduceByKeyOptions : PrefixOptions {
    std::string values, keys_out; // files
    bool any_order = false;
};

struct ScanByKeyOptions : PrefixOptions {
    std::string values; // a file
};

struct SelectOptions : FileOptions {
    bool partition = false;
    std::string flags, counts; // files
    std::string predicate, helpers;
    size_t parts = 2; // of a partition
};

struct NonzeroOptions : FileOptions {
    std::string predicate, helpers;
};

struct RepeatOptions : FileOptions {
    std::string repeats; // a file
};

struct MatmulOptions : FileOptions {
    std::string b, c;
    gp_semiring semiring = GP_PLUS_TIMES;
    gp_precision precision = GP_FULL;
    bool transpose_a = false, transpose_b = false;
    gp_dtype dtype = 0; // of the result; 0: as A
    std::string alpha, beta;
    std::string bias; // a file
    gp_bias bias_by = GP_BIAS_BY_COLUMN;
    gp_activation activation = GP_NO_ACTIVATION;
    std::string low, high;                               // of the clamp
    std::string finish, plus, times, zero, one, helpers; // OpenCL C
};

struct PathsOptions : FileOptions {
    std::string predecessors; // a file
};

struct HistogramOptions : FileOptions {
    size_t bins = 0;          // 0: by the edges, or 256
    std::string range, edges; // numbers with commas between them
    std::string weights;      // a file of what to add up instead of ones
    bool accumulate = false;  // to the counts in OUT
};

struct Histogram2dOptions : FileOptions {
    std::string y;
    std::string bins, range_x, range_y; // numbers with commas between them
    std::string edges_x, edges_y;
    std::string weights;
};

struct RecurrenceOptions : FileOptions {
    std::string coefficients, initial; // numbers with commas between them
    std::string varying;               // or a file of coefficients
    std::string last;                  // a file for what `initial` must be to go on
    bool reverse = false;
};

// An m x k matrix times a k x n one, `batch` times.
struct Shape {
    size_t m, n, k, batch;
};

struct BenchOptions {
    std::string op, device;
    std::vector<std::string> algorithms; // none: the default; "all": each that fits the device
    gp_dtype dtype = 0;                  // the operation's default, as every 0 here
    std::vector<size_t> n;
    std::vector<Shape> shapes; // of products, instead of n
    size_t rows = 0, repeat = 0;
    bool skewed = false, json = false, bars = false;
    std::string plot;                       // a file for the figure
    std::vector<std::string> distributions; // of keys to sort; none: random; "all": each that bench_workload.cpp knows
};

struct TuneOptions {
    std::string op, device, algorithm, file;
    gp_dtype dtype = 0; // the operation's default
    size_t n = 0;       // likewise
    double seconds = 120;
    bool dry_run = false;
};

std::vector<std::string> bench_names(); // what OP of bench can be, but for "all"
std::vector<std::string> operation_names();
// Of an operation that bench_names() or operation_names() has.
std::vector<std::string> algorithm_names(const std::string &operation);

int info(const InfoOptions &options);
int selftest(const SelftestOptions &options);
int demo(const DemoOptions &options);
int bench(const BenchOptions &options);
int tune(const TuneOptions &options);
int sort(const SortOptions &options);
int argsort(const SortOptions &options);
int sort_by(const SortByOptions &options);
int merge(const MergeOptions &options);
int scan(const PrefixOptions &options);
int reduce(const PrefixOptions &options);
int arg_reduce(const ArgReduceOptions &options);
int top_k(const TopKOptions &options);
int search(const SearchOptions &options);
int is_sorted(const IsSortedOptions &options);
int transform(const TransformOptions &options);
int difference(const DifferenceOptions &options);
int gather(const GatherOptions &options);
int transpose(const TransposeOptions &options);
int run_lengths(const RunLengthsOptions &options);
int reduce_by_key(const ReduceByKeyOptions &options);
int scan_by_key(const ScanByKeyOptions &options);
int unique(const UniqueOptions &options);
int select_elements(const SelectOptions &options); // and partition
int nonzero(const NonzeroOptions &options);
int repeat(const RepeatOptions &options);
int matmul(const MatmulOptions &options);
int paths(const PathsOptions &options);
int histogram(const HistogramOptions &options);
int histogram_2d(const Histogram2dOptions &options);
int recurrence(const RecurrenceOptions &options);

} // namespace command
