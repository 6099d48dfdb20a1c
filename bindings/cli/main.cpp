// gpcl: the library's command. Options are read here; each subcommand has its own file.
// SPDX-License-Identifier: MIT
#include "commands.h"
#include "support.h"
#include "words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <utility>

namespace {

using namespace command;

// Names that an option takes, and what the option becomes.
using Codes = std::vector<std::pair<std::string, int32_t>>;
const Codes kOperators = {{"add", GP_ADD}, {"multiply", GP_MULTIPLY}, {"minimum", GP_MINIMUM}, {"maximum", GP_MAXIMUM}};
const Codes kSides = {{"left", GP_LEFT}, {"right", GP_RIGHT}};
const Codes kExtremes = {{"minimum", GP_MINIMUM}, {"maximum", GP_MAXIMUM}};
const Codes kSemirings = {{"plus-times", GP_PLUS_TIMES},
                          {"min-plus", GP_MIN_PLUS},
                          {"max-plus", GP_MAX_PLUS},
                          {"max-min", GP_MAX_MIN},
                          {"or-and", GP_OR_AND}};
const Codes kBiases = {{"column", GP_BIAS_BY_COLUMN}, {"row", GP_BIAS_BY_ROW}};
const Codes kActivations = {{"relu", GP_RELU}, {"gelu", GP_GELU}, {"gelu-tanh", GP_GELU_TANH}};
const Codes kPrecisions = {{"full", GP_FULL}, {"fast", GP_FAST}};
const Codes kIndices = {{"uint32", GP_UINT32}, {"uint64", GP_UINT64}};

// What is wrong with a text that is none of the names, "" for one of them.
std::string none_of(const std::string &text, const std::vector<std::string> &names) {
    if (std::find(names.begin(), names.end(), text) != names.end()) return "";
    return "'" + text + "' is not " + listed(names) + did_you_mean(text, names);
}

void take_names(CLI::Option *option, const std::vector<std::string> &names) {
    option->check([names](const std::string &text) { return none_of(text, names); });
}

// gpcl.bash and man.sh know these options by the braces in the help.
void take_codes(CLI::Option *option, const Codes &codes) {
    std::vector<std::string> names;
    for (const auto &each : codes) names.push_back(each.first);
    option->type_name("{" + CLI::detail::join(names) + "}");
    option->transform(CLI::Validator(
        [codes, names](std::string &text) {
            const auto found =
                std::find_if(codes.begin(), codes.end(), [&](const auto &each) { return each.first == text; });
            if (found == codes.end()) return none_of(text, names);
            text = std::to_string(found->second);
            return std::string();
        },
        ""));
}

// "1000", "2^20" or "1e6" as a number; CLI11 shows the text that it throws.
size_t parse_size(const std::string &option, const std::string &text) {
    const auto power = text.find('^');
    size_t end = 0, end_of_power = 0;
    double value = 0;
    try {
        value = std::stod(text.substr(0, power), &end);
        if (power != std::string::npos) value = std::pow(value, std::stod(text.substr(power + 1), &end_of_power));
    } catch (const std::exception &) {
        end = 0; // not a number; below
    }
    const auto length = power == std::string::npos ? end : power + 1 + end_of_power;
    if (end == 0 || length != text.size() || (power != std::string::npos && end != power) ||
        value != std::floor(value) || !(value >= 1 && value <= 0x1p53))
        throw CLI::ValidationError(option, "'" + text + "' is not a size such as 1000, 2^20 or 1e6");
    return static_cast<size_t>(value);
}

CLI::Option *add_size(CLI::App *app, const std::string &name, size_t &size, const std::string &description) {
    return app
        ->add_option_function<std::string>(
            name, [&size, name](const std::string &text) { size = parse_size(name, text); }, description)
        ->type_name("N");
}

void add_device(CLI::App *app, std::string &device) {
    app->add_option("--device", device,
                    "gpu, cpu, host, platform:device such as 0:1, part of a name; auto: each call where it ends first; "
                    "0:0,0:1 or gpu*: several, which share large calls");
}

void add_files(CLI::App *app, FileOptions &options, bool out_required) {
    app->add_option("IN", options.in, "input file (.npy); -: standard input")->required()->type_name("");
    auto *out = app->add_option("OUT", options.out, "output file (.npy); -: standard output")->type_name("");
    if (out_required) out->required();
}

void add_time(CLI::App *app, FileOptions &options) {
    app->add_flag("--time", options.time, "print the times of upload, run and download");
}

void add_common(CLI::App *app, FileOptions &options) {
    add_device(app, options.device);
    app->add_option("--algorithm", options.algorithm,
                    "an algorithm that `gpcl info --algorithms` lists; default: the best fit");
    add_time(app, options);
}

void add_sort(CLI::App *app, SortOptions &options, bool pairs) {
    add_files(app, options, true);
    app->add_flag("--descending", options.descending, "largest first (NaN still last)");
    app->add_option("--axis", options.axis,
                    "sort each row along this axis of an array of several dimensions: 0, the first, or -1, the last");
    app->add_option(
           "--segments", options.segments,
           "sort parts of an array, each by itself: where they begin, and where the last one ends (.npy, integers)")
        ->excludes("--axis");
    if (pairs) {
        auto *values = app->add_option("--values", options.values, "rows to move with the keys (.npy)");
        auto *out = app->add_option("--values-out", options.values_out, "where the moved rows go (.npy)");
        values->needs(out);
        out->needs(values);
    } else {
        take_codes(app->add_option("--index", options.index, "type of the indices: uint32 (default) or uint64"),
                   kIndices);
    }
    add_common(app, options);
}

void add_sort_by(CLI::App *app, SortByOptions &options) {
    add_files(app, options, true);
    app->add_option("--comes-before", options.comes_before,
                    "OpenCL C expression of two elements: must a come before b? Such as \"a > b\"; of rows, "
                    "\"a.at[1] < b.at[1]\"")
        ->required();
    app->add_option("--helpers", options.helpers, "OpenCL C declarations put before it");
    add_device(app, options.device);
    add_time(app, options);
}

void add_merge(CLI::App *app, MergeOptions &options) {
    app->add_option(
           "FILES", options.files,
           "A B ... OUT: two or more sorted files of one type (.npy), A may be -: standard input; and the output "
           "file (.npy), -: standard output")
        ->required()
        ->expected(-3)
        ->type_name("");
    app->add_flag("--descending", options.descending, "all are sorted so: largest first, NaN still last");
    add_common(app, options);
}

void add_accumulate(CLI::App *app, bool &accumulate) {
    app->add_flag("--accumulate", accumulate, "add to what OUT holds")->needs("OUT");
}

void add_operator(CLI::App *app, PrefixOptions &options, CLI::Option *op) {
    auto *source = app->add_option("--operator", options.operator_source,
                                   "OpenCL C expression of a and b (type T), such as \"max(a, b)\"");
    auto *identity = app->add_option("--identity", options.operator_identity, "its identity, such as \"0\"");
    auto *helpers = app->add_option("--helpers", options.operator_helpers, "OpenCL C declarations put before it");
    source->needs(identity)->excludes(op);
    identity->needs(source);
    helpers->needs(source);
}

void add_prefix(CLI::App *app, PrefixOptions &options, bool is_scan) {
    add_files(app, options, is_scan);
    auto *op = app->add_option("--op", options.op, "add (default), multiply, minimum or maximum");
    take_codes(op, kOperators);
    if (is_scan) {
        app->add_flag("--exclusive", options.exclusive, "leave element i out of result i");
        app->add_flag("--reverse", options.reverse, "run from the last element to the first");
        app->add_option("--initial", options.initial,
                        "what comes before the first element: a number, or a .npy file with one");
        app->add_option("--final", options.last, "where what comes behind the last one goes (.npy), to go on from");
    } else {
        add_accumulate(app, options.accumulate);
    }
    add_operator(app, options, op);
    add_common(app, options);
}

void add_arg_reduce(CLI::App *app, ArgReduceOptions &options) {
    add_files(app, options, false);
    take_codes(app->add_option("--op", options.op, "minimum (default) or maximum"), kExtremes);
    add_common(app, options);
}

void add_top_k(CLI::App *app, TopKOptions &options) {
    add_files(app, options, false);
    add_size(app, "--k", options.k, "how many (default 10, or all of fewer)");
    app->add_flag("--smallest", options.smallest, "the smallest instead");
    app->add_option("--values", options.values, "where the elements themselves go (.npy)");
    add_common(app, options);
}

void add_search(CLI::App *app, SearchOptions &options) {
    app->add_option("IN", options.in, "the sorted array (.npy); -: standard input")->required()->type_name("");
    app->add_option("VALUES", options.values, "what to search for (.npy)")->required()->type_name("");
    app->add_option("OUT", options.out, "where the positions go (.npy); -: standard output")->required()->type_name("");
    take_codes(app->add_option("--side", options.side, "left (default), before equal elements, or right"), kSides);
    app->add_flag("--descending", options.descending, "the array is sorted from large to small");
    add_common(app, options);
}

void add_gather(CLI::App *app, GatherOptions &options) {
    app->add_option("IN", options.in, "elements, or rows of an array of several dimensions (.npy); -: standard input")
        ->required()
        ->type_name("");
    app->add_option("POSITIONS", options.positions, "which of them, counted from 0 (.npy, integers)")
        ->required()
        ->type_name("");
    app->add_option("OUT", options.out, "where they go (.npy); -: standard output")->required()->type_name("");
    app->add_flag("--from-end", options.from_end, "negative positions count from the end, -1 is the last");
    add_common(app, options);
}

void add_transpose(CLI::App *app, TransposeOptions &options) {
    add_files(app, options, true);
    add_common(app, options);
}

void add_is_sorted(CLI::App *app, IsSortedOptions &options) {
    app->add_option("IN", options.in, "the array (.npy); -: standard input")->required()->type_name("");
    app->add_flag("--descending", options.descending, "from large to small");
    app->add_flag("--strict", options.strict, "equal elements are out of order, too");
    add_common(app, options);
}

void add_dtype(CLI::App *app, gp_dtype &dtype, const char *help = "element type, such as float32") {
    Codes dtypes;
    for (gp_dtype each = GP_INT8; each <= GP_BFLOAT16; ++each) dtypes.emplace_back(gp_dtype_name(each), each);
    take_codes(app->add_option("--dtype", dtype, help), dtypes);
}

void add_transform(CLI::App *app, TransformOptions &options) {
    app->add_option("EXPRESSION", options.source,
                    "OpenCL C of x0, x1 and on, the elements at a position of each array, and i, the position; such as "
                    "\"x0 * 2 + x1\"")
        ->required()
        ->type_name("");
    app->add_option("FILES", options.files,
                    "up to 8 arrays of one shape, or of one element (.npy), the first may be -: standard input; and "
                    "the output file (.npy), -: standard output")
        ->required()
        ->expected(-2)
        ->type_name("");
    add_dtype(app, options.dtype, "type of the result (default that of the first array)");
    app->add_option("--helpers", options.helpers, "OpenCL C declarations put before it");
    add_common(app, options);
}

void add_difference(CLI::App *app, DifferenceOptions &options) {
    add_files(app, options, true);
    app->add_flag("--keep-first", options.keep_first, "the first element comes first, as it is");
    app->add_option("--axis", options.axis, "of arrays of several dimensions: along which, the first or the last");
    auto *source =
        app->add_option("--operator", options.operator_source,
                        "OpenCL C expression of a and b, an element and the one behind it, such as \"b / a\"");
    app->add_option("--helpers", options.operator_helpers, "OpenCL C declarations put before it")->needs(source);
    add_common(app, options);
}

void add_run_lengths(CLI::App *app, RunLengthsOptions &options) {
    app->add_option("IN", options.in, "the array (.npy); -: standard input")->required()->type_name("");
    app->add_option("OUT", options.out, "where the values of the runs go (.npy)")->required()->type_name("");
    app->add_option("LENGTHS", options.lengths, "where their lengths go (.npy)")->required()->type_name("");
    app->add_option("--firsts", options.firsts, "where it goes at which element each begins (.npy)");
    add_common(app, options);
}

void add_unique(CLI::App *app, UniqueOptions &options) {
    app->add_option("IN", options.in, "the array (.npy); -: standard input")->required()->type_name("");
    app->add_option("OUT", options.out, "where its distinct elements go, ascending (.npy)")->required()->type_name("");
    app->add_option("--counts", options.counts, "where it goes how many of each there are (.npy)");
    app->add_option("--index", options.firsts, "where it goes at which element each is found first (.npy)");
    app->add_option("--inverse", options.inverse, "where it goes which of them each element is (.npy)");
    app->add_flag("--sorted", options.sorted, "IN is sorted, which is not checked");
    add_common(app, options);
}

void add_reduce_by_key(CLI::App *app, ReduceByKeyOptions &options) {
    app->add_option("KEYS", options.in, "the keys (.npy); -: standard input")->required()->type_name("");
    app->add_option("VALUES", options.values, "the values, as many (.npy)")->required()->type_name("");
    app->add_option("OUTKEYS", options.keys_out, "where a key of each run goes (.npy)")->required()->type_name("");
    app->add_option("OUT", options.out, "where the results go (.npy)")->required()->type_name("");
    app->add_flag("--any-order", options.any_order, "equal keys need not follow each other; results in order of keys");
    auto *op = app->add_option("--op", options.op, "add (default), multiply, minimum or maximum");
    take_codes(op, kOperators);
    add_operator(app, options, op);
    add_common(app, options);
}

void add_scan_by_key(CLI::App *app, ScanByKeyOptions &options) {
    app->add_option("KEYS", options.in, "the keys (.npy); -: standard input")->required()->type_name("");
    app->add_option("VALUES", options.values, "the values, as many (.npy)")->required()->type_name("");
    app->add_option("OUT", options.out, "where the results go (.npy)")->required()->type_name("");
    auto *op = app->add_option("--op", options.op, "add (default), multiply, minimum or maximum");
    take_codes(op, kOperators);
    app->add_flag("--exclusive", options.exclusive, "leave element i out of result i");
    app->add_option("--initial", options.initial,
                    "what comes before each run of equal keys: a number, or a .npy file with one");
    add_operator(app, options, op);
    add_common(app, options);
}

template <class Options> void add_predicate(CLI::App *app, Options &options) {
    auto *predicate = app->add_option("--predicate", options.predicate,
                                      "instead, an OpenCL C expression of an element x, such as \"x > 0\"");
    app->add_option("--helpers", options.helpers, "OpenCL C declarations put before it")->needs(predicate);
}

void add_select(CLI::App *app, SelectOptions &options) {
    add_files(app, options, true);
    app->add_option("--flags", options.flags, "a flag for each element, taken where it is not 0 (.npy, int8 or uint8)");
    add_predicate(app, options);
    if (options.partition) {
        app->add_option("--parts", options.parts, "3: those with 1 come first, then those with 2, then the others")
            ->check(CLI::IsMember({2, 3}));
        app->add_option("--counts", options.counts, "where it goes at which element each further part begins (.npy)");
    }
    add_common(app, options);
}

void add_nonzero(CLI::App *app, NonzeroOptions &options) {
    app->add_option("IN", options.in, "the array (.npy); -: standard input")->required()->type_name("");
    app->add_option("OUT", options.out, "where the positions of its elements go that are not 0 (.npy, uint64)")
        ->required()
        ->type_name("");
    add_predicate(app, options);
    add_common(app, options);
}

void add_repeat(CLI::App *app, RepeatOptions &options) {
    app->add_option("IN", options.in, "the array (.npy); -: standard input")->required()->type_name("");
    app->add_option("REPEATS", options.repeats, "how often each of its elements comes (.npy, integers)")
        ->required()
        ->type_name("");
    app->add_option("OUT", options.out, "where they go (.npy); -: standard output")->required()->type_name("");
    add_common(app, options);
}

void add_histogram(CLI::App *app, HistogramOptions &options) {
    add_files(app, options, false);
    auto *bins = add_size(app, "--bins", options.bins, "how many (default 256), each a whole number from 0 on");
    auto *range = app->add_option("--range", options.range, "where even bins begin and end, such as 0,1");
    app->add_option("--edges", options.edges, "ascending edges, such as 0,1,10")->excludes(bins)->excludes(range);
    add_accumulate(app, options.accumulate);
    app->add_option("--weights", options.weights, "numbers to add up instead of ones (.npy, of IN's shape)")
        ->excludes("--accumulate");
    add_common(app, options);
}

void add_histogram_2d(CLI::App *app, Histogram2dOptions &options) {
    app->add_option("X", options.in, "first elements (.npy)")->required()->type_name("");
    app->add_option("Y", options.y, "second elements, of X's type and shape (.npy)")->required()->type_name("");
    app->add_option("OUT", options.out, "output file (.npy); -: standard output")->type_name("");
    auto *bins = app->add_option("--bins", options.bins, "how many of X and of Y, such as 10,20");
    auto *range_x = app->add_option("--range-x", options.range_x, "where even bins of X begin and end, such as 0,1");
    auto *range_y = app->add_option("--range-y", options.range_y, "the same of Y");
    app->add_option("--edges-x", options.edges_x, "ascending edges of X, such as 0,1,10")
        ->excludes(bins)
        ->excludes(range_x);
    app->add_option("--edges-y", options.edges_y, "the same of Y")->excludes(bins)->excludes(range_y);
    app->parse_complete_callback([&options] {
        if (options.bins.empty() && (options.edges_x.empty() || options.edges_y.empty()))
            throw CLI::RequiredError("--bins, or --edges-x and --edges-y");
    });
    app->add_option("--weights", options.weights, "numbers to add up instead of ones (.npy, of X's shape)");
    add_common(app, options);
}

void add_recurrence(CLI::App *app, RecurrenceOptions &options) {
    add_files(app, options, true);
    auto *coefficients =
        app->add_option("--coefficients", options.coefficients, "1 to 8 factors of the last results, such as 0.5,0.25");
    app->add_option("--varying", options.varying,
                    "instead a factor of the last result for each element (.npy, of IN's shape or one row for all)")
        ->excludes(coefficients);
    app->parse_complete_callback([&options] {
        if (options.coefficients.empty() && options.varying.empty())
            throw CLI::RequiredError("--coefficients or --varying");
    });
    app->add_option("--initial", options.initial,
                    "as many results before the first, the last one first (default 0,0...), or a .npy file of them");
    app->add_option("--final", options.last, "where what --initial must be to go on goes (.npy)");
    app->add_flag("--reverse", options.reverse, "run from the last element to the first");
    add_common(app, options);
}

void add_matmul(CLI::App *app, MatmulOptions &options) {
    app->add_option("A", options.in, "left matrix, or batch of them (.npy)")->required()->type_name("");
    app->add_option("B", options.b, "right matrix, or batch of them (.npy)")->required()->type_name("");
    app->add_option("OUT", options.out, "output file (.npy); -: standard output")->required()->type_name("");
    take_codes(
        app->add_option("--semiring", options.semiring, "plus-times (default), min-plus, max-plus, max-min or or-and"),
        kSemirings);
    app->add_flag("--transpose-a", options.transpose_a, "use the transpose of A");
    app->add_flag("--transpose-b", options.transpose_b, "use the transpose of B");
    take_codes(app->add_option("--precision", options.precision, "full (default) or fast"), kPrecisions);
    add_dtype(app, options.dtype, "type of the result: that of A (default), or int32 or float32 of shorter ones");
    app->add_option("--alpha", options.alpha, "factor of the product");
    auto *beta = app->add_option("--beta", options.beta, "factor of C, which is added; needs --c");
    auto *c = app->add_option("--c", options.c, "C (.npy); needs --beta");
    beta->needs(c);
    c->needs(beta);
    auto *bias = app->add_option("--bias", options.bias, "numbers (.npy) that are added, one for each column or row");
    auto *bias_by = app->add_option("--bias-by", options.bias_by, "column (default) or row")->needs(bias);
    take_codes(bias_by, kBiases);
    auto *activation =
        app->add_option("--activation", options.activation, "what follows the bias: relu, gelu or gelu-tanh");
    take_codes(activation, kActivations);
    auto *low = app->add_option("--low", options.low, "least result; lower ones become that");
    auto *high = app->add_option("--high", options.high, "greatest result; higher ones become that");
    auto *finish = app->add_option(
        "--finish", options.finish,
        "OpenCL C expression of the element x, its bias b, row i and column j that takes the place of these");
    for (auto *other : {low, high, finish}) activation->excludes(other);
    finish->excludes(low)->excludes(high);
    auto *plus = app->add_option("--plus", options.plus, "OpenCL C expression of a and b: the sum of another semiring");
    auto *times = app->add_option("--times", options.times, "likewise its product");
    auto *zero = app->add_option("--zero", options.zero, "OpenCL C expression: identity of its sum");
    auto *one = app->add_option("--one", options.one, "likewise of its product");
    plus->needs(times)->needs(zero)->needs(one);
    for (auto *other : {times, zero, one}) other->needs(plus);
    app->add_option("--helpers", options.helpers, "OpenCL C declarations put before these texts");
    add_common(app, options);
}

void add_paths(CLI::App *app, PathsOptions &options) {
    app->add_option("IN", options.in, "the lengths of edges (.npy), infinity or an integer's largest value for none")
        ->required()
        ->type_name("");
    app->add_option("OUT", options.out, "where the paths' lengths go (.npy); -: standard output")
        ->required()
        ->type_name("");
    app->add_option("--predecessors", options.predecessors,
                    "where the node before the end of each path goes (.npy), -9999 for none");
    add_common(app, options);
}

// "1000x3000x77" or "4x4x4x10000": m, n, k and how many products.
Shape parse_shape(const std::string &text) {
    std::vector<size_t> sizes;
    for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
        end = std::min(text.find('x', begin), text.size());
        sizes.push_back(parse_size("--shape", text.substr(begin, end - begin)));
    }
    if (sizes.size() != 3 && sizes.size() != 4)
        throw CLI::ValidationError("--shape", "'" + text + "' is not a shape such as 1000x3000x77 or 4x4x4x10000");
    return {sizes[0], sizes[1], sizes[2], sizes.size() == 4 ? sizes[3] : 1};
}

void add_tune(CLI::App *app, TuneOptions &options) {
    auto names = operation_names();
    names.emplace_back("all");
    take_names(app->add_option("OP", options.op, listed(names) + " (with --device auto)")->required()->type_name(""),
               names);
    app->add_option("--algorithm", options.algorithm,
                    "one that `gpcl info --algorithms` lists; default: all that come near the best");
    add_dtype(app, options.dtype);
    add_size(app, "--n", options.n, "elements, or the side of the matrices; default: as bench");
    app->add_option("--seconds", options.seconds, "when to stop searching (default 120)")
        ->type_name("S")
        ->check([](const std::string &text) {
            double seconds = 0;
            const bool is_time = CLI::detail::lexical_cast(text, seconds) && seconds > 0;
            return is_time ? "" : "'" + text + "' is not a number above 0";
        });
    app->add_option("--file", options.file, "tuning file; default: GPCL_TUNING, else gpcl/tuning in ~/.config");
    app->add_flag("--dry-run", options.dry_run, "write no file");
    add_device(app, options.device);
}

void add_bench(CLI::App *app, BenchOptions &options) {
    auto names = bench_names();
    names.emplace_back("all");
    take_names(app->add_option("OP", options.op, listed(names) + "; min-plus is a matmul, fibonacci a recurrence")
                   ->required()
                   ->type_name(""),
               names);
    app->add_option("--algorithm", options.algorithms,
                    "some that `gpcl info --algorithms` lists, or all; default: the best fit")
        ->delimiter(',')
        ->type_name("NAME");
    add_dtype(app, options.dtype);
    app->add_option_function<std::vector<std::string>>(
           "--n",
           [&options](const std::vector<std::string> &texts) {
               for (const auto &text : texts) options.n.push_back(parse_size("--n", text));
           },
           "sizes: elements, or the side of a matrix, such as 1000,2^20,1e6")
        ->delimiter(',')
        ->type_name("N");
    app->add_option_function<std::vector<std::string>>(
           "--shape",
           [&options](const std::vector<std::string> &texts) {
               for (const auto &text : texts) options.shapes.push_back(parse_shape(text));
           },
           "of products: m, n, k and a batch, such as 1000x3000x77,4x4x4x10000")
        ->delimiter(',')
        ->type_name("MxNxK");
    add_size(app, "--rows", options.rows,
             "rows of a recurrence or of sort-rows, segments of sort-segments, runs of merge-runs, of n "
             "elements each (default 1; fibonacci 1024, sorts 2^14, runs 8)");
    app->add_flag("--skewed", options.skewed, "histogram: 15 of 16 elements are the same");
    take_names(
        app->add_option(
               "--distribution", options.distributions,
               "sort: random, sorted, reversed, equal, few (16 values), one-bit, zipf, outlier (all equal but one), "
               "clustered (7 of 8 below 4096), or all")
            ->delimiter(',')
            ->type_name("NAME"),
        {"random", "sorted", "reversed", "equal", "few", "one-bit", "zipf", "outlier", "clustered", "all"});
    add_size(app, "--repeat", options.repeat, "runs that the medians are of (default 5; 1 where a run takes 3 s)");
    auto *json = app->add_flag("--json", options.json, "print a JSON object a line");
    app->add_option("--plot", options.plot,
                    "draw the rates by n into this file (.png, .svg or .pdf), with gnuplot or Python's matplotlib")
        ->type_name("FILE")
        ->check([](const std::string &file) {
            for (const char *suffix : {".png", ".svg", ".pdf"})
                if (file.ends_with(suffix)) return std::string();
            return "'" + file + "' does not end with .png, .svg or .pdf";
        });
    app->add_flag("--bars", options.bars, "show the rates of an operation as bars of text too")->excludes(json);
    add_device(app, options.device);
    app->parse_complete_callback([&options] {
        if (options.op == "all" && !options.algorithms.empty() && options.algorithms[0] != "all")
            throw CLI::ValidationError("--algorithm " + options.algorithms[0] + " needs one operation, not all");
    });
}

std::vector<std::string> command_names(const CLI::App &app) {
    std::vector<std::string> names;
    for (const auto *each : app.get_subcommands(nullptr)) names.push_back(each->get_name());
    return names;
}

constexpr char kHelp[] = "\nRun with --help for more information.\n";

// "" where there is such a command.
std::string no_command(const CLI::App &app, const std::string &word) {
    auto names = command_names(app);
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    names.insert(names.end(), {"--help", "--version"});
    return "gpcl: there is no command " + word + did_you_mean(word, names) + kHelp;
}

// What is wrong with the arguments: words of our own for the mistakes that are made most, CLI11's
// for the others.
std::string usage_error(const CLI::App &app, const CLI::ParseError &error) {
    const auto given = app.get_subcommands();
    const auto &at = given.empty() ? app : *given.front();
    const auto unknown = app.remaining(true);
    const bool is_option = !unknown.empty() && unknown[0].starts_with("-");
    std::string name = "gpcl", problem = error.what();
    std::vector<std::string> names;
    if (!given.empty()) name += " " + at.get_name();
    if (is_option) {
        for (const auto *each : at.get_options()) names.push_back(each->get_name());
        problem = "there is no option " + unknown[0] + did_you_mean(unknown[0], names);
    } else if (given.empty()) {
        if (!unknown.empty()) return no_command(app, unknown[0]);
        problem = "a command is missing: " + listed(command_names(app));
    } else if (!unknown.empty()) {
        problem = unknown[0] + " is one argument too many";
    } else if (error.get_name() == "ArgumentMismatch") {
        const std::string of = problem.substr(0, problem.find(':'));
        const auto *option = at.get_option_no_throw(of);
        const bool is_list = option != nullptr && option->get_positional() && option->get_items_expected_min() > 1;
        problem = of + " has no value";
        if (is_list)
            problem = of + ": got " + std::to_string(option->count()) + ", expected " +
                      std::to_string(option->get_items_expected_min()) + " or more: " + option->get_description();
    }
    return name + ": " + problem + kHelp;
}

// What was probably meant by an algorithm or a device that the library does not know.
std::string near(const CLI::App &command, gp_status status) {
    const auto given = [&](const char *option) {
        const auto *found = command.get_option_no_throw(option);
        return found ? found->results() : std::vector<std::string>();
    };
    std::vector<std::string> words, names;
    if (status == GP_ERROR_ALGORITHM) {
        auto operation = command.get_name();
        if (const auto named = given("OP"); !named.empty()) operation = named[0];
        if (operation == "argsort") operation = "sort";
        if (!given("--varying").empty()) operation = "recurrence-varying";
        words = given("--algorithm");
        names = algorithm_names(operation);
    } else if (status == GP_ERROR_NO_DEVICE) {
        words = given("--device");
        if (const char *device = std::getenv("GPCL_DEVICE"); device && words.empty()) words = {device};
        names = {"gpu", "cpu", "host", "auto", "accelerator"};
        size_t count = 0;
        if (gp_devices(&count) != GP_SUCCESS) count = 0;
        for (size_t i = 0; i < count; ++i) {
            gp_device_info info{};
            info.struct_size = sizeof info;
            if (gp_device_describe(i, &info) != GP_SUCCESS) continue;
            std::istringstream parts(std::string(info.name) + " " + info.platform); // any of which selects it
            for (std::string part; parts >> part;)
                if (part.size() > 3) names.push_back(part);
        }
    }
    std::string meant;
    for (const auto &word : words)
        if (meant.empty() && std::find(names.begin(), names.end(), word) == names.end())
            meant = did_you_mean(word, names);
    return meant;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Parallel primitives over OpenCL: sort, scan, reduce, histogram, linear recurrence and matrix product "
                 "on NumPy .npy files.",
                 "gpcl");
    app.set_version_flag("--version", std::string("gpcl ") + gp_version());
    app.require_subcommand(1);
    app.footer(
        "Every command takes --device; GPCL_DEVICE stands in for it. Exit status: 0 success, 1 failure, 2 usage.");

    std::function<int()> chosen;
    const auto add = [&](const char *name, const char *description, auto &options, auto function) {
        auto *sub = app.add_subcommand(name, description);
        sub->callback([&options, &chosen, function] { chosen = [&options, function] { return function(options); }; });
        return sub;
    };

    InfoOptions info_options;
    auto *sub =
        add("info", "Show version, OpenCL loader, devices, algorithms and the program cache", info_options, info);
    sub->add_flag("--json", info_options.json, "print JSON");
    sub->add_flag("--algorithms", info_options.algorithms, "list the algorithms too, in order of preference");
    add_device(sub, info_options.device);

    SelftestOptions selftest_options;
    sub = add("selftest", "Check every operation on a device against plain loops", selftest_options, selftest);
    add_size(sub, "--max-n", selftest_options.max_n, "leave out larger arrays (default 100003)");
    sub->add_option("--only", selftest_options.only, "only groups with this text in their name, such as \"sort int\"");
    sub->add_flag("--every-algorithm", selftest_options.every_algorithm, "check each algorithm, not the default alone");
    sub->add_flag("--prove", selftest_options.prove,
                  "only prove the algorithms that are proved before they are chosen");
    add_device(sub, selftest_options.device);

    DemoOptions demo_options;
    sub = add("demo", "Sort, scan and multiply real flight data, with times", demo_options, demo);
    sub->add_option("--data", demo_options.data, "folder of the data; GPCL_DATA stands in for it");
    add_size(sub, "--keys", demo_options.keys, "random keys to sort beside std::sort (default 2^24)");
    add_device(sub, demo_options.device);

    BenchOptions bench_options;
    add_bench(add("bench", "Time operations on random data, verified, beside the device's peak", bench_options, bench),
              bench_options);

    TuneOptions tune_options;
    add_tune(add("tune", "Search the fastest parameters of a device's algorithms and write the tuning file",
                 tune_options, tune),
             tune_options);

    SortOptions sort_options, argsort_options;
    add_sort(add("sort", "Sort a .npy array, with values if wanted", sort_options, sort), sort_options, true);
    add_sort(add("argsort", "Write the indices that would sort a .npy array", argsort_options, argsort),
             argsort_options, false);

    SortByOptions sort_by_options;
    add_sort_by(add("sort-by", "Sort the elements or rows of a .npy array by a comparison of your own", sort_by_options,
                    sort_by),
                sort_by_options);

    MergeOptions merge_options;
    add_merge(add("merge", "Merge sorted .npy arrays into one", merge_options, merge), merge_options);

    PrefixOptions scan_options, reduce_options;
    add_prefix(add("scan", "Running sums, or other running combinations, of a .npy array", scan_options, scan),
               scan_options, true);
    add_prefix(add("reduce", "The sum, or another combination, of a .npy array", reduce_options, reduce),
               reduce_options, false);

    ArgReduceOptions arg_reduce_options;
    add_arg_reduce(add("arg-reduce", "The place of the smallest or largest element of a .npy array", arg_reduce_options,
                       arg_reduce),
                   arg_reduce_options);

    TopKOptions top_k_options;
    add_top_k(
        add("top-k", "The k largest or smallest elements of a .npy array, and their places", top_k_options, top_k),
        top_k_options);
    SearchOptions search_options;
    add_search(add("search", "Where values belong in a sorted .npy array", search_options, search), search_options);
    IsSortedOptions is_sorted_options;
    add_is_sorted(add("is-sorted", "Whether a .npy array is sorted, and where that ends; exit status 1 if it is not",
                      is_sorted_options, is_sorted),
                  is_sorted_options);

    TransformOptions transform_options;
    add_transform(add("transform", "Compute an expression of your own, element by element, of .npy arrays",
                      transform_options, transform),
                  transform_options);
    DifferenceOptions difference_options;
    add_difference(
        add("difference", "The differences of neighbouring elements of a .npy array", difference_options, difference),
        difference_options);
    GatherOptions gather_options;
    add_gather(add("gather", "The elements or rows of a .npy array at given positions", gather_options, gather),
               gather_options);
    TransposeOptions transpose_options;
    add_transpose(add("transpose", "Exchange the last two dimensions of a .npy array", transpose_options, transpose),
                  transpose_options);
    RunLengthsOptions run_lengths_options;
    add_run_lengths(add("run-lengths", "The runs of equal elements of a .npy array: values and lengths",
                        run_lengths_options, run_lengths),
                    run_lengths_options);
    UniqueOptions unique_options;
    add_unique(add("unique", "The distinct elements of a .npy array, how many of each there are, and where",
                   unique_options, unique),
               unique_options);
    ReduceByKeyOptions reduce_by_key_options;
    add_reduce_by_key(add("reduce-by-key", "Sums, or other combinations, of the values of equal keys",
                          reduce_by_key_options, reduce_by_key),
                      reduce_by_key_options);
    ScanByKeyOptions scan_by_key_options;
    add_scan_by_key(add("scan-by-key",
                        "Prefix sums, or other running combinations, that start anew with each run of keys",
                        scan_by_key_options, scan_by_key),
                    scan_by_key_options);
    SelectOptions select_options, partition_options;
    partition_options.partition = true;
    add_select(add("select", "The elements of a .npy array that have a flag, or for which an expression of yours holds",
                   select_options, select_elements),
               select_options);
    add_select(add("partition", "The same elements first, then the others", partition_options, select_elements),
               partition_options);
    NonzeroOptions nonzero_options;
    add_nonzero(add("nonzero", "Where the elements of a .npy array are that are not 0", nonzero_options, nonzero),
                nonzero_options);
    RepeatOptions repeat_options;
    add_repeat(add("repeat", "Each element of a .npy array as often as another one says", repeat_options, repeat),
               repeat_options);

    MatmulOptions matmul_options;
    add_matmul(add("matmul", "Multiply two matrices, in any of five semirings", matmul_options, matmul),
               matmul_options);

    PathsOptions paths_options;
    add_paths(add("paths", "Shortest paths between all pairs of nodes", paths_options, paths), paths_options);

    HistogramOptions histogram_options;
    add_histogram(add("histogram", "Count the elements of a .npy array by bins", histogram_options, histogram),
                  histogram_options);

    Histogram2dOptions histogram_2d_options;
    add_histogram_2d(
        add("histogram-2d", "Count pairs of elements of two .npy arrays by bins", histogram_2d_options, histogram_2d),
        histogram_2d_options);

    RecurrenceOptions recurrence_options;
    add_recurrence(add("recurrence", "Linear recurrence, such as a filter, over each row of a .npy array",
                       recurrence_options, recurrence),
                   recurrence_options);

    // Before all else: what comes behind a mistyped command may be the name of another.
    if (argc > 1 && argv[1][0] != '-')
        if (const auto problem = no_command(app, argv[1]); !problem.empty()) {
            print_wrapped(stderr, problem);
            return 2;
        }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        print_wrapped(stdout, app.help());
        return std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const CLI::Success &success) { // --version
        return app.exit(success);
    } catch (const CLI::ParseError &error) {
        print_wrapped(stderr, usage_error(app, error));
        return 2;
    }

    const auto name = "gpcl " + app.get_subcommands().front()->get_name();
    try {
        const auto status = chosen();
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Failure("standard output can't be written");
        return status;
    } catch (const std::bad_alloc &) {
        std::fprintf(stderr, "%s: not enough memory\n", name.c_str());
    } catch (const Failure &failure) {
        print_wrapped(stderr,
                      name + ": " + failure.what() + near(*app.get_subcommands().front(), failure.status) + "\n");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    }
    return 1;
}
