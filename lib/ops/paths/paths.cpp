// gp_paths: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/paths/paths.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"

#include <optional>

namespace gpcl::paths {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kProducts, kTiles, kHost, kSquaring};
    return list;
}

std::string options(gp_dtype dtype) {
    return text("-DGP_DTYPE=", dtype, " -DGP_SEMIRING=", int32_t{GP_MIN_PLUS}, " -DGP_WIDTH=1");
}

namespace {

constexpr std::array<gp_dtype, 4> kTypes = {GP_INT16, GP_INT32, GP_FLOAT32, GP_FLOAT64};

// What both forms of the call check and fill in alike.
struct Call {
    gp_paths_options options;
    Request request; // without its operands
    Rows in, out, predecessors;
    size_t size;

    bool same_rows() const { return in == out; }
};

Rows read_matrix(size_t n, size_t ld, size_t size, const char *name, const char *what) {
    require(ld >= n, GP_ERROR_LEADING_DIMENSION, "ld_", name, " is ", Shown{ld}, "; expected at least n, which is ", n);
    const Rows rows = read_rows(n, n, n > 0 ? ld : 0, 1, what);
    multiply(rows.span(), size, what);
    return rows;
}

Call read_call(const cl::Context &context, gp_dtype dtype, size_t n, size_t ld_in, size_t ld_out,
               bool wants_predecessors, size_t ld_predecessors, const gp_paths_options *given) {
    Call call{read_options(given, "options"), {}, {}, {}, {}, 0};
    const auto &options = call.options;
    require_dtype(dtype, "dtype", kTypes);
    require(dtype != GP_FLOAT64 || context.is_host() || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            "dtype is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
    require(options.negative_cycle_buffer != nullptr || options.negative_cycle_offset == 0, GP_ERROR_OPTION,
            "options->negative_cycle_offset is ", Shown{options.negative_cycle_offset},
            "; expected 0 without negative_cycle_buffer");
    call.size = gpcl::dtype(dtype).size;
    call.in = read_matrix(n, ld_in, call.size, "in", "n rows of in");
    call.out = read_matrix(n, ld_out, call.size, "out", "n rows of out");
    if (wants_predecessors) // which are int32: of 2^31 nodes the bytes of `in` overflow
        call.predecessors = read_matrix(n, ld_predecessors, sizeof(int32_t), "predecessors", "n rows of predecessors");
    Request &request = call.request;
    request.dtype = dtype;
    request.n = n;
    request.ld_in = call.in.stride;
    request.ld_out = call.out.stride;
    request.wants_predecessors = wants_predecessors;
    request.ld_predecessors = call.predecessors.stride;
    request.wants_negative = options.negative_cycle != nullptr || options.negative_cycle_buffer != nullptr;
    return call;
}

// What must lie apart, in order: in, out, predecessors, negative_cycle. Written are all but the
// first.
void require_apart(const std::array<Extent, 4> &extents, bool in_place) {
    constexpr std::array kNames = {"in", "out", "predecessors", "options->negative_cycle"};
    for (size_t a = 0; a < extents.size(); ++a) {
        for (size_t b = a + 1; b < extents.size(); ++b) {
            if (a == 0 && b == 1) {
                require(in_place || !overlap(extents[0], extents[1]), GP_ERROR_OVERLAP,
                        "in and out overlap; expected the same matrix of the same leading dimension, or memory apart");
            } else {
                gpcl::require_apart(overlap(extents[a], extents[b]), kNames[b], kNames[a]);
            }
        }
    }
}

void run(cl::Task &task, const Call &call) {
    const Request &request = call.request;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, task.context(), request);
    algorithm.run(task, request);
}

// An output in host memory: where the device must not write between its rows, it works on memory of
// its own.
class Output {
  public:
    Output(cl::Task &task, const Rows &rows, size_t size, void *to, bool reads)
        : task_(task), rows_(rows), size_(size), to_(to) {
        const size_t bytes = rows.span() * size;
        apart_ = rows.has_gaps() && !task.context().works_in_place(bytes) && !task.context().is_host();
        operand_ = apart_ ? task.work_space(bytes) : reads ? task.in_out(to, bytes) : task.output(to, bytes);
        if (apart_ && reads) task.write(operand_.memory, 0, bytes, to, true);
    }

    const cl::Operand &operand() const { return operand_; }
    void fetch() {
        if (apart_) read_apart(task_, operand_, rows_, size_, to_);
    }

  private:
    cl::Task &task_;
    const Rows &rows_;
    size_t size_;
    void *to_;
    bool apart_;
    cl::Operand operand_;
};

void add_defaults(Needed &needed, gp_dtype dtype) {
    constexpr size_t kLargest = 1 << 14;
    Needed::for_each_size_to(kLargest, 4, [&](size_t n) {
        for (const bool predecessors : {false, true}) {
            Request request = read_call(needed.context(), dtype, n, n, n, predecessors, n, nullptr).request;
            request.in = request.out = request.predecessors = cl::Operand::stand_in();
            needed.add(algorithms(), request);
        }
    });
}

// One tile, and several.
gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    constexpr size_t kLargest = 130;
    std::vector<uint64_t> zeros(kLargest * kLargest); // of any type
    std::vector<int32_t> predecessors(kLargest * kLargest);
    gp_status status = GP_SUCCESS;
    for (const size_t n : {size_t{1}, kLargest}) {
        for (int32_t *const nodes : {static_cast<int32_t *>(nullptr), predecessors.data()}) {
            if (status == GP_SUCCESS)
                status = gp_paths(context, dtype, n, zeros.data(), n, zeros.data(), n, nodes, n, nullptr);
        }
    }
    return status;
}

} // namespace

const Operation kOperation = {GP_PATHS,     "paths",        kTypes,         infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::paths

using namespace gpcl;

gp_status gp_paths(gp_context *context, gp_dtype dtype, size_t n, const void *in, size_t ld_in, void *out,
                   size_t ld_out, int32_t *predecessors, size_t ld_predecessors, const gp_paths_options *options) {
    return guard("gp_paths", [&] {
        const auto first =
            placed(context, paths::kOperation, paths::kKind, dtype,
                   {real(n) * real(n) * real(n),
                    {array_of(in, dtype, n, ld_in)},
                    {array_of(out, dtype, n, ld_out), array_of(predecessors, GP_INT32, n, ld_predecessors)}},
                   options);
        where_it_fits(first, paths::kOperation, options, in == out, [&](const auto &device) {
            const bool wants_predecessors = predecessors != nullptr;
            paths::Call call =
                paths::read_call(*device, dtype, n, ld_in, ld_out, wants_predecessors, ld_predecessors, options);
            paths::Request &request = call.request;
            require(call.options.negative_cycle_buffer == nullptr, GP_ERROR_OPTION,
                    "options->negative_cycle_buffer is for gp_enqueue_paths; expected options->negative_cycle");
            uint64_t *const negative = call.options.negative_cycle;
            const size_t in_bytes = call.in.span() * call.size, out_bytes = call.out.span() * call.size;
            require_array(in, n, call.size, "in");
            require_array(out, n, call.size, "out");
            require_aligned(predecessors, sizeof *predecessors, "predecessors");
            require_aligned(negative, sizeof *negative, "options->negative_cycle");
            const bool in_place = in == out && call.same_rows();
            paths::require_apart(
                {extent(in, in_bytes), extent(out, out_bytes),
                 extent(predecessors, wants_predecessors ? call.predecessors.span() * sizeof *predecessors : 0),
                 extent(negative, negative != nullptr ? sizeof *negative : 0)},
                in_place);
            cl::Task task(device, call.options.event);
            if (n == 0) {
                choose(paths::algorithms(), call.options.algorithm, *device, request);
                if (negative != nullptr) *negative = 0;
                return task.end();
            }
            if (!in_place) request.in = task.input(in, in_bytes);
            paths::Output result(task, call.out, call.size, out, in_place);
            request.out = result.operand();
            if (in_place) request.in = request.out;
            std::optional<paths::Output> nodes;
            if (wants_predecessors) {
                nodes.emplace(task, call.predecessors, sizeof *predecessors, predecessors, false);
                request.predecessors = nodes->operand();
            }
            if (negative != nullptr) request.negative = task.output(negative, sizeof *negative);
            paths::run(task, call);
            result.fetch();
            if (nodes) nodes->fetch();
            task.end();
        });
    });
}

gp_status gp_enqueue_paths(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset, size_t ld_in,
                           gp_buffer *out, size_t out_offset, size_t ld_out, gp_buffer *predecessors,
                           size_t predecessors_offset, size_t ld_predecessors, const gp_paths_options *options,
                           size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_paths", [&] {
        const auto device = cl::contexts().get(context, "context");
        const bool wants_predecessors = predecessors != nullptr;
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_paths", options,
                                      {{in, in_offset},
                                       {out, out_offset},
                                       {predecessors, predecessors_offset},
                                       {known.negative_cycle_buffer, known.negative_cycle_offset}},
                                      dtype, n, ld_in, ld_out, ld_predecessors);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        paths::Call call =
            paths::read_call(*device, dtype, n, ld_in, ld_out, wants_predecessors, ld_predecessors, options);
        paths::Request &request = call.request;
        require(call.options.negative_cycle == nullptr, GP_ERROR_OPTION,
                "options->negative_cycle is for gp_paths; expected options->negative_cycle_buffer");
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        const auto operand = [&](const gp_buffer *buffer, size_t offset, const Rows &rows, const char *name) {
            if (buffer == nullptr && n == 0) return cl::Operand{};
            return task.operand(buffer, offset, rows.span(), call.size, name);
        };
        request.in = operand(in, in_offset, call.in, "in");
        request.out = operand(out, out_offset, call.out, "out");
        if (wants_predecessors)
            request.predecessors = task.operand(predecessors, predecessors_offset, call.predecessors.span(),
                                                sizeof(int32_t), "predecessors");
        if (request.wants_negative)
            request.negative = task.operand(call.options.negative_cycle_buffer, call.options.negative_cycle_offset, 1,
                                            sizeof(uint64_t), "options->negative_cycle_buffer");
        const bool in_place = request.in.extent == request.out.extent && call.same_rows();
        paths::require_apart(
            {request.in.extent, request.out.extent, request.predecessors.extent, request.negative.extent}, in_place);
        if (n > 0) {
            paths::run(task, call);
        } else {
            choose(paths::algorithms(), call.options.algorithm, *device, request);
            if (request.wants_negative && !device->is_host()) task.clear(request.negative, 1, sizeof(uint64_t));
            if (request.wants_negative && device->is_host()) *static_cast<uint64_t *>(request.negative.host) = 0;
        }
        task.end();
    });
}
