// gp_matmul: checks, the way from layouts and transposes to the one form of the algorithms, choice
// of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/room.h"

#include <array>
#include <cstddef>
#include <limits>

namespace gpcl::matmul {

std::span<const Algorithm> algorithms() {
    static const std::array list = {
        kVector,   kVectorLanes, kSmall,        kPanels,      kDirectGroups, kWarpGroups,   kDirectTiles,
        kResidues, kBoxUnits,    kDirectUnits,  kMatrixUnits, kBulkTiles,    kWideTiles,    kRegisterTiles,
        kNaive1d,  kHost,        kNaive,        kTiles,       kBlocks,       kBlocksArrays, kBlocksAndTiles,
        kImages,   kMinPlus,     kMinPlusSmall, kHostBlas,    kHostLoop};
    return list;
}

std::string semiring_options(const Request &request, size_t width, bool swapped) {
    std::string options =
        text("-DGP_DTYPE=", request.dtype, " -DGP_SEMIRING=", request.semiring, " -DGP_WIDTH=", width);
    if (request.of_c() != request.dtype) options += text(" -DGP_C_DTYPE=", request.c_dtype);
    if (request.semiring == kCallersSemiring) {
        if (request.is_reversed != swapped) options += " -DGP_REVERSED";
        if (!request.has_alpha) options += " -DGP_ALPHA_ONE";
    }
    if (const auto &finish = request.finish) {
        options += text(" -DGP_FINISH -DGP_ACTIVATION=", finish->activation);
        if (finish->has_bias()) options += finish->bias_by == Finish::Bias::kByRow ? " -DGP_BIAS=2" : " -DGP_BIAS=1";
        if (finish->is_text) options += request.is_reversed ? " -DGP_FINISH_TEXT -DGP_TRANSPOSED" : " -DGP_FINISH_TEXT";
    }
    return options;
}

namespace {

constexpr std::array<gp_dtype, 8> kTypes = {GP_INT8,    GP_INT16,   GP_INT32,   GP_UINT8,
                                            GP_FLOAT16, GP_FLOAT32, GP_FLOAT64, GP_BFLOAT16};

// What C may be beside the type of A and B.
struct Pair {
    gp_dtype factors, c;
};
constexpr Pair kPairs[] = {{GP_FLOAT16, GP_FLOAT32},
                           {GP_BFLOAT16, GP_FLOAT32},
                           {GP_INT8, GP_INT32},
                           {GP_UINT8, GP_INT32},
                           {GP_INT16, GP_INT32}};

// The matrices of one operand as they lie in memory: `lines` (rows of a row-major matrix) of
// `length` elements, `ld` apart; the same for each matrix of the batch, `stride` apart.
struct Stored {
    const char *name;
    size_t lines, length, ld, batch, stride;

    bool empty() const { return lines == 0 || length == 0; }
    // Elements of one matrix, and of all of them, with the gaps within; 0 when there are none.
    size_t block() const { return empty() ? 0 : add(multiply(lines - 1, ld, name), length, name); }
    size_t span() const { return empty() ? 0 : add(multiply(batch - 1, stride, name), block(), name); }
    bool has_gaps() const { return !empty() && (lines * length != block() || (batch > 1 && stride != block())); }
    // Do all lines of all matrices start a multiple of ld apart?
    bool on_grid() const { return lines == 1 && batch == 1 ? true : ld > 0 && (batch == 1 || stride % ld == 0); }
};

// What both forms of the call check and fill in alike.
struct Call {
    gp_matmul_options options;
    Stored a, b, c;
    size_t size;       // bytes of an element of A and B
    size_t c_size;     // of C and the bias
    size_t bias_count; // elements of all products' bias, with the gaps within
    Request request;   // without its operands
};

template <class T> constexpr T kLargest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                               : std::numeric_limits<T>::max();
template <class T> constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                              : std::numeric_limits<T>::min();

template <class T> T zero_of(gp_semiring semiring) {
    switch (semiring) {
    case GP_MIN_PLUS: return kLargest<T>;
    case GP_MAX_PLUS:
    case GP_MAX_MIN: return kLowest<T>;
    default: return T{0};
    }
}

template <class T> T one_of(gp_semiring semiring) {
    switch (semiring) {
    case GP_MIN_PLUS:
    case GP_MAX_PLUS: return T{0};
    case GP_MAX_MIN: return kLargest<T>;
    default: return T{1};
    }
}

void read_scalars(Request &request, const gp_matmul_options &options) {
    with_type(request.computed(), [&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_constructible_v<Scalar, std::in_place_type_t<T>, T>) {
            request.has_alpha = options.alpha != nullptr;
            const auto read = [](const void *from, T otherwise) {
                if (from != nullptr) std::memcpy(&otherwise, from, sizeof(T));
                return otherwise;
            };
            const T zero = zero_of<T>(request.semiring);
            const T beta = read(options.beta, zero);
            request.alpha = read(options.alpha, one_of<T>(request.semiring));
            request.beta = beta;
            request.reads_c = request.semiring == kCallersSemiring ? options.beta != nullptr : beta != zero;
            if (!request.finish) return;
            const T low = read(options.clamp_low, kLowest<T>), high = read(options.clamp_high, kLargest<T>);
            require(low <= high, GP_ERROR_OPTION, "options->clamp_low is ", low, " and options->clamp_high ", high,
                    "; expected low <= high");
            request.finish->low = low;
            request.finish->high = high;
        }
    });
}

bool lies_by_columns(bool transposed, const gp_matmul_options &options) {
    return transposed != (options.layout == GP_COLUMN_MAJOR);
}

Stored stored(const char *name, size_t rows, size_t columns, bool transposed, const gp_matmul_options &options,
              size_t ld, size_t stride) {
    const bool by_columns = lies_by_columns(transposed, options);
    const Stored result{name, by_columns ? columns : rows, by_columns ? rows : columns, ld, options.batch, stride};
    require(ld >= result.length, GP_ERROR_LEADING_DIMENSION, "ld", name, " is ", Shown{ld}, "; expected at least ",
            result.length, ", the ", options.layout == GP_COLUMN_MAJOR ? "rows" : "columns", " of ", name,
            " as it is stored");
    return result;
}

// Matrices of a batch lie behind one another, or side by side in one larger matrix.
void require_apart(const Stored &c) {
    if (c.batch == 1 || c.empty()) return;
    const size_t block = c.block();
    if (c.stride >= block) return;
    require(c.stride >= c.length && c.stride <= c.ld && (c.batch - 1) <= (c.ld - c.length) / c.stride,
            GP_ERROR_BATCH_STRIDE, "stride_c is ", c.stride, " with a batch of ", c.batch, "; expected at least ",
            block, ", so that the C matrices do not overlap");
}

Matrix in_rows(const Stored &x, bool by_columns) {
    Matrix matrix;
    matrix.row_stride = by_columns ? 1 : x.ld;
    matrix.column_stride = by_columns ? x.ld : 1;
    matrix.batch_stride = x.batch == 1 ? 0 : x.stride;
    return matrix;
}

bool is_blank(const char *text) {
    return std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The caller's texts, as functions of the type that is computed in.
void read_texts(Request &request, const gp_matmul_options &options) {
    const std::array<std::pair<const char *, const char *>, 4> semiring = {{{"plus_source", options.plus_source},
                                                                            {"times_source", options.times_source},
                                                                            {"zero_source", options.zero_source},
                                                                            {"one_source", options.one_source}}};
    const bool any =
        std::any_of(semiring.begin(), semiring.end(), [](const auto &one) { return one.second != nullptr; });
    for (const auto &[name, source] : semiring) {
        if (!any) break;
        require(
            source != nullptr, GP_ERROR_SEMIRING, "options->", name,
            " is NULL; expected all four texts of a semiring, plus_source, times_source, zero_source and one_source, "
            "or none");
        require(!is_blank(source), GP_ERROR_SEMIRING, "options->", name, " is blank; expected an OpenCL C expression");
    }
    const char *finish = options.finish_source, *helpers = options.helpers;
    require(finish == nullptr || !is_blank(finish), GP_ERROR_OPTION,
            "options->finish_source is blank; expected an OpenCL C expression");
    require(any || finish != nullptr || helpers == nullptr || *helpers == '\0', GP_ERROR_OPTION,
            "options->helpers is set without a text that could use it; expected finish_source or a semiring, or NULL");
    if (!any && finish == nullptr) return;
    const gp_dtype computed = request.computed();
    request.preamble = text(computed == GP_FLOAT64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", "typedef ",
                            gpcl::dtype(computed).opencl, " T;\n", helpers != nullptr ? helpers : "");
    const auto define = [&](const char *function, const char *parameters, const char *source) {
        append(request.preamble, text("\nT ", function, '(', parameters, ") { return (\n", source, "\n); }"));
    };
    if (any) {
        request.semiring = kCallersSemiring;
        define("gp_plus_text", "T a, T b", options.plus_source);
        define("gp_times_text", "T a, T b", options.times_source);
        define("gp_zero_text", "void", options.zero_source);
        define("gp_one_text", "void", options.one_source);
    }
    if (finish != nullptr) define("gp_finish_text", "T x, T b, ulong i, ulong j", finish);
}

void read_finish(Call &call) {
    const auto &options = call.options;
    Request &request = call.request;
    require_choice(options.activation, GP_CLAMP, "options->activation");
    require_choice(options.bias_by, GP_BIAS_BY_ROW, "options->bias_by");
    const bool has_bias = options.bias != nullptr || options.bias_buffer != nullptr;
    const auto expect_bias = [&](bool is_set, const char *name) {
        require(has_bias || !is_set, GP_ERROR_OPTION, "options->", name, " is set without a bias; expected 0");
    };
    expect_bias(options.bias_by != 0, "bias_by");
    expect_bias(options.stride_bias != 0, "stride_bias");
    require(options.bias_buffer != nullptr || options.bias_offset == 0, GP_ERROR_OPTION, "options->bias_offset is ",
            options.bias_offset, "; expected 0 without bias_buffer");
    const bool clamps = options.activation == GP_CLAMP;
    require(clamps || (options.clamp_low == nullptr && options.clamp_high == nullptr), GP_ERROR_OPTION,
            "options->clamp_low or clamp_high is set, and options->activation is ", options.activation,
            "; expected GP_CLAMP (", GP_CLAMP, "), or NULL");
    const bool is_gelu = options.activation == GP_GELU || options.activation == GP_GELU_TANH;
    require(!is_gelu || is_float(request.dtype), GP_ERROR_OPTION, "options->activation is ", options.activation,
            ", a GELU, and dtype ", gpcl::dtype(request.dtype).name, "; expected a floating-point type");
    const bool is_text = options.finish_source != nullptr;
    require(!is_text || options.activation == GP_NO_ACTIVATION, GP_ERROR_OPTION,
            "options->finish_source and options->activation are both set; expected one of them");
    if (!has_bias && !is_text && options.activation == GP_NO_ACTIVATION) return;
    Finish &finish = request.finish.emplace();
    finish.activation = options.activation;
    finish.is_text = is_text;
    if (!has_bias) return;
    const bool by_row = options.bias_by == GP_BIAS_BY_ROW;
    finish.bias_by = by_row != request.is_reversed ? Finish::Bias::kByRow : Finish::Bias::kByColumn;
    finish.bias_stride = request.batch == 1 ? 0 : options.stride_bias;
    const size_t count = finish.bias_by == Finish::Bias::kByRow ? request.m : request.n;
    call.bias_count = call.c.empty() ? 0 : add(multiply(request.batch - 1, finish.bias_stride, "bias"), count, "bias");
}

// The bias in host memory: checks, and its size.
size_t bytes_of_bias(const Call &call, const Extent &c) {
    const auto &options = call.options;
    require(options.bias_buffer == nullptr, GP_ERROR_OPTION,
            "options->bias_buffer is for gp_enqueue_matmul; expected options->bias");
    if (options.bias == nullptr) return 0;
    require_aligned(options.bias, call.c_size, "options->bias");
    const size_t bytes = multiply(call.bias_count, call.c_size, "bias");
    require(!overlap(extent(options.bias, bytes), c), GP_ERROR_OVERLAP,
            "options->bias and c overlap; expected them apart");
    return bytes;
}

// The bias of the call on buffers.
void take_bias(cl::Task &task, Call &call, const cl::Operand &c) {
    const auto &options = call.options;
    require(options.bias == nullptr, GP_ERROR_OPTION, "options->bias is for gp_matmul; expected options->bias_buffer");
    if (options.bias_buffer == nullptr) return;
    const auto bias =
        task.operand(options.bias_buffer, options.bias_offset, call.bias_count, call.c_size, "options->bias_buffer");
    require(!overlap(bias, c), GP_ERROR_OVERLAP, "options->bias_buffer and c overlap; expected them apart");
    call.request.finish->bias = bias;
}

void require_c_dtype(gp_dtype dtype, gp_dtype c_dtype) {
    if (c_dtype == dtype) return;
    const auto *const pair =
        std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair &one) { return one.factors == dtype; });
    const bool has_pair = pair != std::end(kPairs);
    if (has_pair && pair->c == c_dtype) return;
    const Dtype *const known = find_dtype(c_dtype);
    fail(GP_ERROR_DTYPE, "options->c_dtype is ", known != nullptr ? known->name : text("unknown (", c_dtype, ")"),
         " where dtype is ", gpcl::dtype(dtype).name, "; expected 0 or ", gpcl::dtype(dtype).name,
         has_pair ? text(", or ", gpcl::dtype(pair->c).name) : "");
}

Call read_call(gp_dtype dtype, size_t m, size_t n, size_t k, size_t lda, size_t ldb, size_t ldc,
               const gp_matmul_options *given) {
    Call call{read_options(given, "options"), {}, {}, {}, 0, 0, 0, {}};
    auto &options = call.options;
    require_dtype(dtype, "dtype", kTypes);
    if (options.c_dtype != 0) require_c_dtype(dtype, options.c_dtype);
    require_choice(options.layout, GP_COLUMN_MAJOR, "options->layout");
    require_choice(options.transpose_a, GP_TRANSPOSE, "options->transpose_a");
    require_choice(options.transpose_b, GP_TRANSPOSE, "options->transpose_b");
    require_choice(options.transpose_c, GP_TRANSPOSE, "options->transpose_c");
    require_choice(options.precision, GP_FAST, "options->precision");
    require(options.semiring >= GP_PLUS_TIMES && options.semiring <= GP_OR_AND, GP_ERROR_SEMIRING,
            "options->semiring is ", options.semiring, "; expected 0 to ", GP_OR_AND);
    const bool widens = options.c_dtype != 0 && options.c_dtype != dtype;
    const bool any_semiring = gpcl::dtype(dtype).size > 1 && (!widens || is_float(dtype));
    require(any_semiring || (options.semiring == GP_PLUS_TIMES && options.plus_source == nullptr), GP_ERROR_DTYPE,
            "dtype is ", gpcl::dtype(dtype).name, widens ? " and options->c_dtype int32" : "",
            ", which has the plus-times product alone; expected options->semiring 0 and no texts of one");
    if (options.batch == 0) options.batch = 1;
    call.size = gpcl::dtype(dtype).size;
    call.c_size = gpcl::dtype(widens ? options.c_dtype : dtype).size;
    multiply(m, call.c_size, "m");
    multiply(n, call.c_size, "n");
    multiply(k, call.size, "k");
    call.a = stored("a", m, k, options.transpose_a != 0, options, lda, options.stride_a);
    call.b = stored("b", k, n, options.transpose_b != 0, options, ldb, options.stride_b);
    call.c = stored("c", m, n, options.transpose_c != 0, options, ldc, options.stride_c);
    require_apart(call.c);

    Request &request = call.request;
    request.dtype = dtype;
    request.c_dtype = options.c_dtype;
    request.semiring = options.semiring;
    request.precision = options.precision;
    request.m = m;
    request.n = n;
    request.k = k;
    request.batch = options.batch;
    request.a = in_rows(call.a, lies_by_columns(options.transpose_a != 0, options));
    request.b = in_rows(call.b, lies_by_columns(options.transpose_b != 0, options));
    request.c = in_rows(call.c, false);
    request.is_reversed = lies_by_columns(options.transpose_c != 0, options);
    if (request.is_reversed) {
        // What lies in columns is the transpose of what lies in rows: C' = B' A'.
        std::swap(request.m, request.n);
        std::swap(request.a, request.b);
        std::swap(request.a.row_stride, request.a.column_stride);
        std::swap(request.b.row_stride, request.b.column_stride);
    }
    read_texts(request, options);
    read_finish(call);
    read_scalars(request, options);
    return call;
}

// The operands of the two forms, in the caller's order; a product whose C lies in columns has them
// swapped.
void set_operands(Call &call, cl::Operand a, cl::Operand b, cl::Operand c) {
    if (call.request.is_reversed) std::swap(a, b);
    call.request.a.data = a;
    call.request.b.data = b;
    call.request.c.data = c;
}

void require_device(const cl::Context &context, const Request &request) {
    const gp_dtype dtype = request.dtype;
    require(request.preamble.empty() || !context.is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "options->finish_source and the texts of a semiring are OpenCL C, which \"host\" can't run; open an OpenCL "
            "device");
    require(dtype != GP_FLOAT64 || context.is_host() || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            "dtype is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
}

// Allowed where C and X meet: lines of one larger matrix, C's beside X's.
void require_beside(const Call &call, const Stored &x, const Extent &x_extent, const Extent &c_extent) {
    if (!overlap(x_extent, c_extent)) return;
    const Stored &c = call.c;
    const size_t size = call.size;
    require(call.c_size == size, GP_ERROR_OVERLAP, "c overlaps ", x.name,
            ", and options->c_dtype gives it another type; expected them apart");
    const uintptr_t x_at = x_extent.begin, c_at = c_extent.begin;
    const size_t ld = c.lines == 1 && c.batch == 1 ? x.ld : c.ld;
    const size_t pitch = multiply(ld, size, "ldc");
    // Where C's lines start within X's, in bytes.
    const size_t at = c_at >= x_at ? (c_at - x_at) % pitch : (pitch - (x_at - c_at) % pitch) % pitch;
    const bool same_grid = x.on_grid() && c.on_grid() && (x.ld == ld || (x.lines == 1 && x.batch == 1));
    require(same_grid && at >= x.length * size && at + c.length * size <= pitch, GP_ERROR_OVERLAP, "c overlaps ",
            x.name, "; expected them apart, or side by side in one matrix of the same leading dimension");
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, task.context(), call.request);
    if (!call.c.empty()) algorithm.run(task, call.request);
}

// Host memory of C whose gaps are not ours to write: the device works on the elements alone, line
// after line.
class Gathered {
  public:
    Gathered(cl::Task &task, Call &call, void *c) : call_(call), c_(static_cast<std::byte *>(c)) {
        const Stored &stored = call.c;
        line_ = stored.length * call.c_size;
        lines_.resize(stored.lines * stored.batch * line_);
        memory_ = task.work_space(lines_.size());
        if (call.request.reads_c) {
            each_line([&](std::byte *line, std::byte *in_c) { std::memcpy(line, in_c, line_); });
            task.write(memory_.memory, 0, lines_.size(), lines_.data(), true);
        }
        call.request.c.row_stride = stored.length;
        call.request.c.batch_stride = stored.lines * stored.length;
    }

    const cl::Operand &operand() const { return memory_; }

    void scatter(cl::Task &task) {
        task.read(memory_.memory, 0, lines_.size(), lines_.data(), true);
        each_line([&](std::byte *line, std::byte *in_c) { std::memcpy(in_c, line, line_); });
    }

  private:
    template <class F> void each_line(F &&f) {
        std::byte *line = lines_.data();
        for (size_t g = 0; g < call_.c.batch; ++g) {
            for (size_t i = 0; i < call_.c.lines; ++i, line += line_)
                f(line, c_ + (g * call_.c.stride + i * call_.c.ld) * call_.c_size);
        }
    }

    const Call &call_;
    std::byte *c_;
    size_t line_; // bytes
    std::vector<std::byte> lines_;
    cl::Operand memory_;
};

// The arrays of a call on host pointers.
struct Pointers {
    const void *a, *b;
    void *c;
    const void *bias; // NULL: none
};

// So many of a batch's products.
Call some(const Call &call, size_t count) {
    Call part = call;
    if (call.bias_count > 0) part.bias_count -= (call.request.batch - count) * call.request.finish->bias_stride;
    part.request.batch = part.a.batch = part.b.batch = part.c.batch = count;
    return part;
}

bool is_held(const cl::Context &context, const Call &call) {
    return device_holds(context, call.request, call.options.algorithm,
                        {call.a.span() * call.size, call.b.span() * call.size, call.c.span() * call.c_size,
                         call.bias_count * call.c_size});
}

void run_on_pointers(cl::Task &task, cl::Context &context, Call call, const Pointers &p);

// Products that the device can't hold: as many at a time as it can, or each by itself.
void run_batch(cl::Task &task, cl::Context &context, const Call &call, const Pointers &p) {
    size_t together = call.request.batch;
    while (together > 1 && !is_held(context, some(call, together))) together = fewer(together);
    for (size_t first = 0; first < call.request.batch; first += together) {
        const auto at = [&](const void *array, size_t stride, size_t size) {
            return static_cast<std::byte *>(const_cast<void *>(array)) + first * stride * size;
        };
        cl::Task::Pass pass(task);
        run_on_pointers(task, context, some(call, std::min<uint64_t>(together, call.request.batch - first)),
                        {at(p.a, call.a.stride, call.size), at(p.b, call.b.stride, call.size),
                         at(p.c, call.c.stride, call.c_size),
                         p.bias != nullptr ? at(p.bias, call.request.finish->bias_stride, call.c_size) : nullptr});
        pass.end();
    }
}

void run_on_pointers(cl::Task &task, cl::Context &context, Call call, const Pointers &p) {
    const size_t a_bytes = call.a.span() * call.size, b_bytes = call.b.span() * call.size;
    const size_t c_bytes = call.c.span() * call.c_size, bias_bytes = call.bias_count * call.c_size;
    const bool by_columns = call.request.is_reversed;
    const HostMatrices host{
        by_columns ? p.b : p.a, by_columns ? p.a : p.b, by_columns ? a_bytes : b_bytes, p.c, p.bias, bias_bytes};
    if (!is_held(context, call)) {
        if (call.request.batch > 1) return run_batch(task, context, call, p);
        return run_larger(task, call.request, call.options.algorithm, host);
    }
    if (run_pieces(task, context, call.request, call.options.algorithm, host)) return;
    if (bias_bytes > 0) call.request.finish->bias = task.input(p.bias, bias_bytes);
    const Extent extent_c = extent(p.c, c_bytes);
    const bool beside = overlap(extent(p.a, a_bytes), extent_c) || overlap(extent(p.b, b_bytes), extent_c);
    const auto input_a = task.input(p.a, a_bytes);
    const auto input_b = task.input(p.b, b_bytes);
    if (call.c.has_gaps() && !context.is_host() && (beside || !context.works_in_place(c_bytes))) {
        Gathered gathered(task, call, p.c);
        set_operands(call, input_a, input_b, gathered.operand());
        run(task, call);
        gathered.scatter(task);
    } else {
        const auto output = call.request.reads_c ? task.in_out(p.c, c_bytes) : task.output(p.c, c_bytes);
        set_operands(call, input_a, input_b, output);
        run(task, call);
    }
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    constexpr size_t kLargest = 1 << 14;
    const auto add = [&](size_t m, size_t n, size_t k) {
        Call call = read_call(dtype, m, n, k, k, n, n, nullptr);
        set_operands(call, cl::Operand::stand_in(), cl::Operand::stand_in(), cl::Operand::stand_in());
        const size_t cost = std::max({m * k, k * n, m * n, m * n * k / call.size}) * call.size; // bytes, or as long
        needed.add(algorithms(), call.request, cost, [=, size = call.size](gp_context *context) {
            auto c = zeros(m * n, size);
            return gp_matmul(context, dtype, m, n, k, zeros(m * k, size).data(), k, zeros(k * n, size).data(), n,
                             c.data(), n, nullptr);
        });
    };
    Needed::for_each_size_to(kLargest, 64, [&](size_t n) {
        add(n, n, n);
        if (is_half(dtype) && n % 4 == 0) add(n + 2, n + 2, n + 2); // lines begin at whole words
        if (is_half(dtype) && n % 8 == 0) add(n + 4, n + 4, n + 4); // and at pairs of them
    });
    Needed::for_each_size_to(kLargest, 4, [&](size_t n) {
        add(n, 1, n);
        add(1, n, n);
    });
}

// A matrix times a vector, a small product and one of several tiles: each takes another algorithm.
gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    constexpr size_t kLargest = 65;
    std::vector<uint64_t> zeros(kLargest * kLargest), c(kLargest * kLargest);
    gp_status status = GP_SUCCESS;
    for (const size_t n : {size_t{1}, size_t{2}, kLargest})
        if (status == GP_SUCCESS)
            status = gp_matmul(context, dtype, n, n, n, zeros.data(), n, zeros.data(), n, c.data(), n, nullptr);
    return status;
}

// Numbers in the host's memory, of the type that is computed in.
void add_numbers(cl::Signature &signature, gp_dtype dtype, const gp_matmul_options &known) {
    const bool is_known = find_dtype(dtype) != nullptr;
    for (const void *number : {known.alpha, known.beta, known.clamp_low, known.clamp_high}) {
        const bool given = number != nullptr && is_known;
        signature.bytes(number, given ? gpcl::dtype(computed_in(dtype, known.c_dtype)).size : 0);
    }
}

} // namespace

const Operation kOperation = {GP_MATMUL,      "matmul", kTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
                              smallest_calls, kKinds,   prove,  list<algorithms>};

} // namespace gpcl::matmul

using namespace gpcl;

gp_status gp_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, const void *a, size_t lda,
                    const void *b, size_t ldb, void *c, size_t ldc, const gp_matmul_options *options) {
    return guard("gp_matmul", [&] {
        const auto device =
            placed(context, matmul::kOperation, matmul::kind_of(m, n, k, cl::known_options(options)), dtype,
                   {real(m) * real(n) * real(k),
                    {array_of(a, dtype, m, k), array_of(b, dtype, k, n)},
                    {array_of(c, dtype, m, n)}},
                   options);
        matmul::Call call = matmul::read_call(dtype, m, n, k, lda, ldb, ldc, options);
        const auto bytes_of = [&](const matmul::Stored &x, const void *pointer, size_t size) {
            if (!x.empty()) require_pointer(pointer, x.name);
            require_aligned(pointer, size, x.name);
            return multiply(x.span(), size, x.name);
        };
        const Extent extent_a = extent(a, bytes_of(call.a, a, call.size));
        const Extent extent_b = extent(b, bytes_of(call.b, b, call.size));
        const Extent extent_c = extent(c, bytes_of(call.c, c, call.c_size));
        matmul::require_beside(call, call.a, extent_a, extent_c);
        matmul::require_beside(call, call.b, extent_b, extent_c);
        matmul::require_device(*device, call.request);

        const void *bias = call.options.bias;
        matmul::bytes_of_bias(call, extent_c);

        if (matmul::deal(context, call.request, call.options, {dtype, m, n, k, a, lda, b, ldb, c, ldc})) return;
        cl::Task task(device, call.options.event);
        matmul::run_on_pointers(task, *device, call, {a, b, c, bias});
        task.end();
    });
}

gp_status gp_enqueue_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, gp_buffer *a,
                            size_t a_offset, size_t lda, gp_buffer *b, size_t b_offset, size_t ldb, gp_buffer *c,
                            size_t c_offset, size_t ldc, const gp_matmul_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_matmul", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        cl::Signature signature(*device, "gp_enqueue_matmul", options,
                                {{a, a_offset}, {b, b_offset}, {c, c_offset}, {known.bias_buffer, known.bias_offset}},
                                dtype, m, n, k, lda, ldb, ldc);
        matmul::add_numbers(signature, dtype, known);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        matmul::Call call = matmul::read_call(dtype, m, n, k, lda, ldb, ldc, options);
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        const auto operand = [&](const matmul::Stored &x, const gp_buffer *buffer, size_t offset, size_t size) {
            if (buffer == nullptr && x.empty()) return cl::Operand{};
            return task.operand(buffer, offset, x.span(), size, x.name);
        };
        const auto operand_a = operand(call.a, a, a_offset, call.size);
        const auto operand_b = operand(call.b, b, b_offset, call.size);
        const auto operand_c = operand(call.c, c, c_offset, call.c_size);
        matmul::require_beside(call, call.a, operand_a.extent, operand_c.extent);
        matmul::require_beside(call, call.b, operand_b.extent, operand_c.extent);
        matmul::require_device(*device, call.request);
        matmul::set_operands(call, operand_a, operand_b, operand_c);
        matmul::take_bias(task, call, operand_c);
        matmul::run(task, call);
        task.end();
    });
}
