// gp_histogram_weighted and gp_histogram_2d: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/histogram_weighted/histogram_weighted.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/histogram/histogram.h"
#include "ops/place.h"

#include <bit>

namespace gpcl::histogram_weighted {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kChunks, kLocal, kGlobal, kHost};
    return list;
}

std::string options(const cl::Context &context, const Request &r) {
    const int flip = is_float(r.dtype) ? 2 : r.dtype <= GP_INT64 ? 1 : 0;
    const size_t weight = r.weight_dtype == 0 ? 0 : dtype(r.weight_dtype).size;
    return text("-DGP_KEY_BYTES=", dtype(r.dtype).size, " -DGP_FLIP=", flip,
                has_places(context, r) ? " -DGP_PLACES"
                : guesses(context, r)  ? " -DGP_EVEN"
                                       : " -DGP_SEARCH",
                r.dtype == GP_FLOAT64 && guesses(context, r) ? " -DGP_FLOAT64" : "", " -DGP_WEIGHT=", weight,
                " -DGP_RESULT=", dtype(r.sums_dtype).size, r.has_y() ? " -DGP_TWO" : "", context.features().options(),
                r.counted.option());
}

namespace {

constexpr std::array<gp_dtype, 2> kWeightTypes = {GP_FLOAT32, GP_FLOAT64};

// The types of weights and sums, checked.
void read_weights(Request &r, gp_dtype weight_dtype, gp_dtype sums_dtype) {
    require_dtype(weight_dtype, "weight_dtype", kWeightTypes);
    r.weight_dtype = weight_dtype;
    r.sums_dtype = sums_dtype == 0 ? weight_dtype : sums_dtype;
    require_dtype(r.sums_dtype, "options->sums_dtype", std::array{gp_dtype{GP_FLOAT64}, weight_dtype});
}

Request read_1d(gp_dtype dtype, size_t n, gp_dtype weight_dtype, size_t bins,
                const gp_histogram_weighted_options &options) {
    Request r;
    r.dtype = dtype;
    r.n = n;
    r.bins_x = histogram::read_bins(dtype, bins, {options.lower, options.upper, options.edges, options.edges_dtype});
    read_weights(r, weight_dtype, options.sums_dtype);
    return r;
}

Request read_2d(gp_dtype dtype, size_t n, gp_dtype weight_dtype, bool has_weights, size_t bins_x, size_t bins_y,
                const gp_histogram_2d_options &options) {
    Request r;
    r.dtype = dtype;
    r.n = n;
    r.bins_x = histogram::read_bins(dtype, bins_x,
                                    {options.lower_x, options.upper_x, options.edges_x, options.edges_dtype_x, "_x",
                                     "options->edges_x", "options->edges_dtype_x"});
    r.bins_y = histogram::read_bins(dtype, bins_y,
                                    {options.lower_y, options.upper_y, options.edges_y, options.edges_dtype_y, "_y",
                                     "options->edges_y", "options->edges_dtype_y"});
    require(bins_x <= histogram::kMostBins / bins_y, GP_ERROR_OPTION, "bins_x * bins_y is ", bins_x, " * ", bins_y,
            "; expected up to ", histogram::kMostBins);
    if (weight_dtype != 0) {
        read_weights(r, weight_dtype, options.sums_dtype);
    } else {
        require(!has_weights, GP_ERROR_DTYPE,
                "weight_dtype is 0, but weights is not NULL; expected the type of weights");
        require(options.sums_dtype == 0, GP_ERROR_OPTION, "options->sums_dtype is ", options.sums_dtype,
                "; expected 0 without weights");
    }
    return r;
}

void require_apart(bool overlapping, const char *name) {
    require(!overlapping, GP_ERROR_OVERLAP, "sums overlaps ", name, "; expected memory of its own");
}

void run(cl::Task &task, Request &r, const char *algorithm) {
    if (!r.has_y()) r.y = r.x;
    if (r.weight_dtype == 0) r.weights = r.x;
    const Algorithm &chosen = choose(algorithms(), algorithm, task.context(), r);
    if (!r.is_empty() || chosen.info.on_host) return chosen.run(task, r);
    const size_t size = dtype(r.sums_dtype).size;
    const uint64_t zero = 0;
    task.fill(r.sums.memory, r.sums.offset * size, r.cells() * size, &zero, size);
}

void call_on_host_memory(const std::shared_ptr<cl::Context> &device, Request r, const char *algorithm, gp_event **event,
                         const void *x, const char *name_x, const void *y, const void *weights, void *sums) {
    const size_t size = dtype(r.dtype).size, bytes = multiply(r.n, size, "n elements");
    const size_t sums_size = dtype(r.sums_dtype).size, sums_bytes = r.cells() * sums_size;
    const size_t weight_size = r.weight_dtype == 0 ? 1 : dtype(r.weight_dtype).size;
    const size_t weight_bytes = r.weight_dtype == 0 ? 0 : multiply(r.n, weight_size, "n weights");
    if (r.n > 0) {
        require_pointer(x, name_x);
        if (r.has_y()) require_pointer(y, "y");
        if (r.weight_dtype != 0) require_pointer(weights, "weights");
    }
    require_pointer(sums, "sums");
    require_aligned(x, size, name_x);
    require_aligned(y, size, "y");
    require_aligned(weights, weight_size, "weights");
    require_aligned(sums, sums_size, "sums");
    require_apart(overlap(x, bytes, sums, sums_bytes), name_x);
    if (r.has_y()) require_apart(overlap(y, bytes, sums, sums_bytes), "y");
    require_apart(overlap(weights, weight_bytes, sums, sums_bytes), "weights");
    cl::Task task(device, event);
    r.sums = task.output(sums, sums_bytes);
    r.x = task.input(x, bytes);
    if (r.has_y()) r.y = task.input(y, bytes);
    if (r.weight_dtype != 0) r.weights = task.input(weights, weight_bytes);
    run(task, r, algorithm);
    task.end();
}

// An array in a buffer.
struct Array {
    gp_buffer *buffer;
    size_t offset;
};

template <class Options> void enqueue(gp_context *context, Request r, const Options &options, const cl::Waits &waits,
                                      const Array &x, const char *name_x, const Array &y, const Array &weights,
                                      const Array &sums) {
    const auto device = cl::contexts().get(context, "context");
    const size_t size = dtype(r.dtype).size;
    cl::Task task(device, waits);
    r.x = task.operand(x.buffer, x.offset, r.n, size, name_x);
    if (r.has_y()) r.y = task.operand(y.buffer, y.offset, r.n, size, "y");
    if (r.weight_dtype != 0)
        r.weights = task.operand(weights.buffer, weights.offset, r.n, dtype(r.weight_dtype).size, "weights");
    r.sums = task.operand(sums.buffer, sums.offset, r.cells(), dtype(r.sums_dtype).size, "sums");
    require_apart(overlap(r.x, r.sums), name_x);
    if (r.has_y()) require_apart(overlap(r.y, r.sums), "y");
    if (r.weight_dtype != 0) require_apart(overlap(r.weights, r.sums), "weights");
    r.counted = read_counted(options, true);
    r.n = take_counted(task, options, r.n, r.counted, {{r.sums, "sums"}});
    run(task, r, options.algorithm);
    task.end();
}

constexpr size_t kBins = 256;

gp_histogram_weighted_options default_options(gp_dtype dtype) {
    gp_histogram_weighted_options options = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    options.upper = is_float(dtype) ? 1 : 0;
    return options;
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    gp_histogram_2d_options pairs = GP_HISTOGRAM_2D_OPTIONS_INIT;
    pairs.upper_x = pairs.upper_y = is_float(dtype) ? 1 : 0;
    // Rooms in local memory change with a bin's words, tables and copies: some sizes of each
    // octave.
    for (size_t bins = 2; bins <= size_t{1} << 16; bins += std::max(std::bit_floor(bins) / 4, size_t{1})) {
        for (const gp_dtype weight : {gp_dtype{GP_FLOAT32}, gp_dtype{GP_FLOAT64}, gp_dtype{0}}) {
            Request r = weight != 0 ? read_1d(dtype, 0, weight, bins, default_options(dtype))
                                    : read_2d(dtype, 0, 0, false, 1, bins, pairs);
            r.x = r.y = r.weights = r.sums = cl::Operand::stand_in();
            needed.for_each_size(gpcl::dtype(dtype).size, 1, [&](size_t n) {
                r.n = n;
                const size_t size = gpcl::dtype(dtype).size;
                needed.add(algorithms(), r, n * (size + sizeof(double)), [=](gp_context *context) {
                    const auto in = zeros(n, size), weights = zeros(n, sizeof(double));
                    auto sums = zeros(bins, sizeof(uint64_t));
                    const auto options = default_options(dtype);
                    return weight != 0 ? gp_histogram_weighted(context, dtype, n, in.data(), weight, weights.data(),
                                                               bins, sums.data(), &options)
                                       : gp_histogram_2d(context, dtype, n, in.data(), in.data(), 0, nullptr, 1, bins,
                                                         sums.data(), &pairs);
                });
            });
        }
    }
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    const double weights[1] = {};
    std::array<double, kBins> sums;
    const auto options = default_options(dtype);
    return gp_histogram_weighted(context, dtype, 1, in, GP_FLOAT64, weights, kBins, sums.data(), &options);
}

} // namespace

const Operation kOperation = {GP_HISTOGRAM_WEIGHTED,  "histogram-weighted", kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults,         smallest_calls, kKinds};

} // namespace gpcl::histogram_weighted

using namespace gpcl;

gp_status gp_histogram_weighted(gp_context *context, gp_dtype dtype, size_t n, const void *in, gp_dtype weight_dtype,
                                const void *weights, size_t bins, void *sums,
                                const gp_histogram_weighted_options *options) {
    return guard("gp_histogram_weighted", [&] {
        const auto first = placed(
            context, histogram_weighted::kOperation, *histogram_weighted::kKinds[0], dtype,
            {real(n), {array_of(in, dtype, n), array_of(weights, weight_dtype, n)}, {array_of(sums, GP_FLOAT64, bins)}},
            options);
        where_it_fits(first, histogram_weighted::kOperation, options, [&](const auto &device) {
            const auto given = read_options(options, "options");
            require_uncounted(read_counted(given, true));
            auto request = histogram_weighted::read_1d(dtype, n, weight_dtype, bins, given);
            histogram_weighted::call_on_host_memory(device, std::move(request), given.algorithm, given.event, in, "in",
                                                    nullptr, weights, sums);
        });
    });
}

gp_status gp_histogram_2d(gp_context *context, gp_dtype dtype, size_t n, const void *x, const void *y,
                          gp_dtype weight_dtype, const void *weights, size_t bins_x, size_t bins_y, void *sums,
                          const gp_histogram_2d_options *options) {
    return guard("gp_histogram_2d", [&] {
        const auto first = placed(context, histogram_weighted::kOperation, *histogram_weighted::kKinds[1], dtype,
                                  {real(n),
                                   {array_of(x, dtype, n), array_of(y, dtype, n), array_of(weights, weight_dtype, n)},
                                   {array_of(sums, GP_FLOAT64, bins_x, bins_y)}},
                                  options);
        where_it_fits(first, histogram_weighted::kOperation, options, [&](const auto &device) {
            const auto given = read_options(options, "options");
            require_uncounted(read_counted(given, true));
            auto request =
                histogram_weighted::read_2d(dtype, n, weight_dtype, weights != nullptr, bins_x, bins_y, given);
            histogram_weighted::call_on_host_memory(device, std::move(request), given.algorithm, given.event, x, "x", y,
                                                    weights, sums);
        });
    });
}

gp_status gp_enqueue_histogram_weighted(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                        gp_dtype weight_dtype, gp_buffer *weights, size_t weights_offset, size_t bins,
                                        gp_buffer *sums, size_t sums_offset,
                                        const gp_histogram_weighted_options *options, size_t wait_count,
                                        gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_histogram_weighted", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_histogram_weighted", options,
            {{in, in_offset}, {weights, weights_offset}, {sums, sums_offset}, {known.n_buffer, known.n_offset}}, dtype,
            n, weight_dtype, bins);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        const auto given = read_options(options, "options");
        auto request = histogram_weighted::read_1d(dtype, n, weight_dtype, bins, given);
        histogram_weighted::enqueue(context, std::move(request), given,
                                    cl::Waits{wait_count, wait, event, given.event, &signature}, {in, in_offset}, "in",
                                    {}, {weights, weights_offset}, {sums, sums_offset});
    });
}

gp_status gp_enqueue_histogram_2d(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *x, size_t x_offset,
                                  gp_buffer *y, size_t y_offset, gp_dtype weight_dtype, gp_buffer *weights,
                                  size_t weights_offset, size_t bins_x, size_t bins_y, gp_buffer *sums,
                                  size_t sums_offset, const gp_histogram_2d_options *options, size_t wait_count,
                                  gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_histogram_2d", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_histogram_2d", options,
                                      {{x, x_offset},
                                       {y, y_offset},
                                       {weights, weights_offset},
                                       {sums, sums_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n, weight_dtype, bins_x, bins_y);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        const auto given = read_options(options, "options");
        auto request = histogram_weighted::read_2d(dtype, n, weight_dtype, weights != nullptr, bins_x, bins_y, given);
        histogram_weighted::enqueue(context, std::move(request), given,
                                    cl::Waits{wait_count, wait, event, given.event, &signature}, {x, x_offset}, "x",
                                    {y, y_offset}, {weights, weights_offset}, {sums, sums_offset});
    });
}
