// gp_histogram: checks, choice of algorithm, and what the algorithms for OpenCL share.
// SPDX-License-Identifier: MIT
#include "ops/histogram/histogram.h"

#include "core/dtype.h"
#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace gpcl::histogram {

std::span<const Algorithm> algorithms() {
    static const std::array list = {
        kChunks,     kLanesOfCounters,          kLocal,         kLocalEven,     kLocalCells, kChunkBins, kLocalBins,
        kGlobalBins, kSubHistogramsNoConflicts, kSubHistograms, kGlobalAtomics, kHost,       kHostLoop};
    return list;
}

size_t groups_for(const cl::Context &context, size_t n, size_t group, size_t least, size_t per_unit) {
    const size_t wanted = std::min(ceil_div(n, group * least), context.info().compute_units * per_unit);
    return std::max(wanted, ceil_div(n, kLargestPart));
}

std::string merge_options(size_t group) { return text(" -DGP_MERGE=", group); }

void merge(cl::Task &task, cl::Program &program, size_t group, const cl::Operand &partial, size_t parts,
           const Request &request) {
    task.launch(program, "merge_histograms", cl::Range::groups(kBins, group), partial, request.counts, uint64_t{parts});
}

void accumulate(cl::Task &task, const Request &request, const cl::Operand &more) {
    const auto program = task.program({"histogram/accumulate.cl", ""});
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64), bins = request.bins->count;
    task.launch(*program, "accumulate_counts", cl::Range::groups(ceil_div(bins, group), group), more, request.counts,
                uint64_t{bins});
}

namespace {

host::Bins make_bins(gp_dtype dtype, size_t bins, const GivenBins &given) {
    const char *axis = given.axis;
    if (given.edges != nullptr) {
        const gp_dtype type = given.edges_dtype == 0 ? gp_dtype{GP_FLOAT64} : given.edges_dtype;
        require(host::ascending(given.edges, bins, type), GP_ERROR_OPTION, given.edges_name,
                " are not ascending; expected each to be at least the one before, and no NaN");
        return host::bins_between(dtype, bins, given.edges, type);
    }
    const double lower = given.lower, upper = given.upper;
    if (lower == upper) {
        require(!is_float(dtype), GP_ERROR_OPTION, "options->lower", axis, " and upper", axis, " are both ", lower,
                ", which means a bin for each whole number; expected integers, or lower", axis, " < upper", axis,
                " for ", gpcl::dtype(dtype).name);
        require(host::holds(dtype, lower), GP_ERROR_OPTION, "options->lower", axis, " is ", lower,
                "; expected a value of ", gpcl::dtype(dtype).name);
        return host::whole_bins(dtype, bins, lower);
    }
    require(lower < upper && std::isfinite(upper - lower), GP_ERROR_OPTION, "options->lower", axis, " is ", lower,
            " and upper", axis, " ", upper, "; expected finite ones, lower", axis, " < upper", axis);
    return host::even_bins(dtype, bins, lower, upper);
}

} // namespace

std::shared_ptr<const Bins> read_bins(gp_dtype dtype, size_t bins, const GivenBins &given) {
    require_dtype(dtype, "dtype", kAllTypes);
    require(bins >= 1 && bins <= kMostBins, GP_ERROR_OPTION, "bins", given.axis, " is ", Shown{bins},
            "; expected 1 to ", kMostBins);
    AskedBins asked{dtype, bins, given.lower, given.upper, 0, {}};
    if (given.edges != nullptr) {
        asked.edges_dtype = given.edges_dtype == 0 ? gp_dtype{GP_FLOAT64} : given.edges_dtype;
        require_dtype(asked.edges_dtype, given.edges_dtype_name, std::array{gp_dtype{GP_FLOAT64}, dtype});
        const size_t size = gpcl::dtype(asked.edges_dtype).size;
        require_aligned(given.edges, size, given.edges_name);
        asked.lower = asked.upper = 0;
        asked.edges = {static_cast<const std::byte *>(given.edges), (bins + 1) * size};
    } else {
        require(given.edges_dtype == 0, GP_ERROR_OPTION, given.edges_dtype_name, " is ", given.edges_dtype,
                "; expected 0 without edges");
    }
    return find_bins(asked, [&] { return make_bins(dtype, bins, given); });
}

namespace {

GivenBins given_bins(const gp_histogram_options &options) {
    return {options.lower, options.upper, options.edges, options.edges_dtype};
}

void require_apart(bool overlapping) {
    require(!overlapping, GP_ERROR_OVERLAP, "counts overlaps in; expected memory of its own");
}

// Reads and checks the option.
bool read_accumulate(const gp_histogram_options &options) {
    require_choice(options.accumulate, 1, "options->accumulate");
    return options.accumulate != 0;
}

// Algorithms count parts of kLargestPart elements; a number of more would tell of the first alone.
void require_one_part(const cl::Context &context, const Request &request) {
    require(!request.counted.is_there || request.n <= kLargestPart || context.is_host(), GP_ERROR_TOO_LARGE, "n is ",
            request.n, "; expected at most 2^31 beside options->n_buffer");
}

// Counts beside the counts that are there, and adds them to those.
void run_apart(cl::Task &task, Request request, const Algorithm &chosen) {
    if (request.n == 0 || request.bins->empty()) return;
    const cl::Operand there = request.counts;
    if (task.context().is_host()) {
        std::vector<uint64_t> more(request.bins->count);
        request.counts.host = more.data();
        chosen.run(task, request);
        auto *to = static_cast<uint64_t *>(there.host);
        std::transform(more.begin(), more.end(), to, to, std::plus<>());
    } else {
        const cl::Operand more = task.work_space(request.bins->count * sizeof(uint64_t));
        request.counts = more;
        chosen.run(task, request);
        request.counts = there;
        accumulate(task, request, more);
    }
}

void run(cl::Task &task, const Request &request, const gp_histogram_options &options) {
    const Algorithm &chosen = choose(algorithms(), options.algorithm, task.context(), request);
    if (options.accumulate != 0) return run_apart(task, request, chosen);
    if ((request.n > 0 && !request.bins->empty()) || chosen.info.on_host) return chosen.run(task, request);
    task.clear(request.counts, request.bins->count, sizeof(uint64_t));
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.upper = is_float(dtype) ? 1 : 0;
    const size_t size = gpcl::dtype(dtype).size;
    for (const size_t bins :
         {size_t{2}, kBins, size_t{512}, size_t{1} << 10, size_t{1} << 14, size_t{1} << 16, size_t{1} << 20}) {
        Request request{dtype, 0, read_bins(dtype, bins, given_bins(options)), cl::Operand::stand_in(),
                        cl::Operand::stand_in()};
        needed.for_each_size(size, 1, [&](size_t n) {
            request.n = n;
            needed.add(algorithms(), request, n * size + bins * sizeof(uint64_t), [=](gp_context *context) {
                auto counts = zeros(bins, sizeof(uint64_t));
                return gp_histogram(context, dtype, n, zeros(n, size).data(), bins, counts.data(), &options);
            });
        });
    }
}

// Few elements and many may take different programs.
gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const std::vector<uint64_t> in(kFewBytes + 1);
    uint64_t counts[kBins];
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.upper = is_float(dtype) ? 1 : 0;
    const gp_status status = gp_histogram(context, dtype, 1, in.data(), kBins, counts, &options);
    if (status != GP_SUCCESS) return status;
    return gp_histogram(context, dtype, in.size(), in.data(), kBins, counts, &options);
}

} // namespace

const Operation kOperation = {GP_HISTOGRAM,           "histogram",  kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_calls, kKinds};

} // namespace gpcl::histogram

using namespace gpcl;

gp_status gp_histogram(gp_context *context, gp_dtype dtype, size_t n, const void *in, size_t bins, uint64_t *counts,
                       const gp_histogram_options *options) {
    return guard("gp_histogram", [&] {
        const auto device =
            placed(context, histogram::kOperation, histogram::kind_of(bins, cl::known_options(options)), dtype,
                   {real(n), {array_of(in, dtype, n)}, {array_of(counts, GP_UINT64, bins)}}, options);
        const auto given = read_options(options, "options");
        histogram::Request request{dtype, n, histogram::read_bins(dtype, bins, histogram::given_bins(given)), {}, {}};
        const bool accumulate = histogram::read_accumulate(given);
        require_uncounted(read_counted(given, true));
        const size_t size = gpcl::dtype(dtype).size, counts_bytes = bins * sizeof(uint64_t);
        const size_t in_bytes = multiply(n, size, "n elements");
        if (n > 0) require_pointer(in, "in");
        require_pointer(counts, "counts");
        require_aligned(in, size, "in");
        require_aligned(counts, sizeof(uint64_t), "counts");
        histogram::require_apart(overlap(in, in_bytes, counts, counts_bytes));
        if (histogram::deal(context, request, given, in, counts)) return;
        cl::Task task(device, given.event);
        request.counts = accumulate ? task.in_out(counts, counts_bytes) : task.output(counts, counts_bytes);
        if (histogram::run_pieces(task, *device, request, given.algorithm, in, accumulate)) return task.end();
        request.in = task.input(in, in_bytes);
        histogram::run(task, request, given);
        task.end();
    });
}

gp_status gp_enqueue_histogram(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                               size_t bins, gp_buffer *counts, size_t counts_offset,
                               const gp_histogram_options *options, size_t wait_count, gp_event *const *wait,
                               gp_event **event) {
    return guard("gp_enqueue_histogram", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_histogram", options,
                                      {{in, in_offset}, {counts, counts_offset}, {known.n_buffer, known.n_offset}},
                                      dtype, n, bins);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        const auto given = read_options(options, "options");
        histogram::Request request{dtype, n, histogram::read_bins(dtype, bins, histogram::given_bins(given)), {}, {}};
        histogram::read_accumulate(given);
        request.counted = read_counted(given, true);
        histogram::require_one_part(*device, request);
        cl::Task task(device, cl::Waits{wait_count, wait, event, given.event, &signature});
        request.in = task.operand(in, in_offset, n, gpcl::dtype(dtype).size, "in");
        request.counts = task.operand(counts, counts_offset, bins, sizeof(uint64_t), "counts");
        histogram::require_apart(overlap(request.in, request.counts));
        request.n = take_counted(task, given, n, request.counted, {{request.counts, "counts"}});
        histogram::run(task, request, given);
        task.end();
    });
}
