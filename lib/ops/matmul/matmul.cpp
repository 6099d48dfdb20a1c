// gp_matmul: checks, the way from layouts and transposes to the one form of the algorithms, choice
// of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"

#include "core/options.h"
#include "core/size.h"

#include <array>
#include <cstddef>
#include <limits>

namespace gpcl::matmul {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kVector,       kVectorLanes,    kSmall,     kPanels,    kDirectTiles,
                                    kDirectUnits,  kMatrixUnits,    kBulkTiles, kWideTiles, kRegisterTiles,
                                    kNaive1d,      kHost,           kNaive,     kTiles,     kBlocks,
                                    kBlocksArrays, kBlocksAndTiles, kImages,    kMinPlus,   kMinPlusSmall,
                                    kHostBlas,     kHostLoop};
    return list;
}

std::string semiring_options(const Request &request, size_t width) {
    return text("-DGP_DTYPE=", request.dtype, " -DGP_SEMIRING=", request.semiring, " -DGP_WIDTH=", width);
}

namespace {

constexpr std::array<gp_dtype, 5> kTypes = {GP_INT16, GP_INT32, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64};

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
    size_t size;     // bytes of an element
    Request request; // without its operands
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
    with_type(request.dtype == GP_FLOAT16 ? GP_FLOAT32 : request.dtype, [&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_constructible_v<Scalar, std::in_place_type_t<T>, T>) {
            const auto read = [](const void *from, T otherwise) {
                if (from != nullptr) std::memcpy(&otherwise, from, sizeof(T));
                return otherwise;
            };
            const T zero = zero_of<T>(request.semiring);
            const T beta = read(options.beta, zero);
            request.alpha = read(options.alpha, one_of<T>(request.semiring));
            request.beta = beta;
            request.reads_c = beta != zero;
        }
    });
}

Stored stored(const char *name, size_t rows, size_t columns, bool transposed, const gp_matmul_options &options,
              size_t ld, size_t stride) {
    const bool by_columns = transposed != (options.layout == GP_COLUMN_MAJOR);
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

Call read_call(gp_dtype dtype, size_t m, size_t n, size_t k, size_t lda, size_t ldb, size_t ldc,
               const gp_matmul_options *given) {
    Call call{read_options(given, "options"), {}, {}, {}, 0, {}};
    auto &options = call.options;
    require_dtype(dtype, "dtype", kTypes);
    require_choice(options.layout, GP_COLUMN_MAJOR, "options->layout");
    require_choice(options.transpose_a, GP_TRANSPOSE, "options->transpose_a");
    require_choice(options.transpose_b, GP_TRANSPOSE, "options->transpose_b");
    require_choice(options.precision, GP_FAST, "options->precision");
    require(options.semiring >= GP_PLUS_TIMES && options.semiring <= GP_OR_AND, GP_ERROR_SEMIRING,
            "options->semiring is ", options.semiring, "; expected 0 to ", GP_OR_AND);
    if (options.batch == 0) options.batch = 1;
    call.size = gpcl::dtype(dtype).size;
    multiply(m, call.size, "m");
    multiply(n, call.size, "n");
    multiply(k, call.size, "k");
    call.a = stored("a", m, k, options.transpose_a != 0, options, lda, options.stride_a);
    call.b = stored("b", k, n, options.transpose_b != 0, options, ldb, options.stride_b);
    call.c = stored("c", m, n, false, options, ldc, options.stride_c);
    require_apart(call.c);

    Request &request = call.request;
    request.dtype = dtype;
    request.semiring = options.semiring;
    request.precision = options.precision;
    request.m = m;
    request.n = n;
    request.k = k;
    request.batch = options.batch;
    request.a = in_rows(call.a, options.transpose_a != 0);
    request.b = in_rows(call.b, options.transpose_b != 0);
    request.c = in_rows(call.c, false);
    if (options.layout == GP_COLUMN_MAJOR) {
        // What lies in columns is the transpose of what lies in rows: C' = B' A'.
        std::swap(request.m, request.n);
        std::swap(request.a, request.b);
    }
    read_scalars(request, options);
    return call;
}

// The operands of the two forms, in the caller's order; a column-major product has them swapped.
void set_operands(Call &call, cl::Operand a, cl::Operand b, cl::Operand c) {
    if (call.options.layout == GP_COLUMN_MAJOR) std::swap(a, b);
    call.request.a.data = a;
    call.request.b.data = b;
    call.request.c.data = c;
}

void require_device(const cl::Context &context, gp_dtype dtype) {
    require(dtype != GP_FLOAT64 || context.is_host() || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            "dtype is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
}

// Allowed where C and X meet: lines of one larger matrix, C's beside X's.
void require_beside(const Stored &x, const Extent &x_extent, const Stored &c, const Extent &c_extent, size_t size) {
    if (!overlap(x_extent, c_extent)) return;
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
        line_ = stored.length * call.size;
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
                f(line, c_ + (g * call_.c.stride + i * call_.c.ld) * call_.size);
        }
    }

    const Call &call_;
    std::byte *c_;
    size_t line_; // bytes
    std::vector<std::byte> lines_;
    cl::Operand memory_;
};

void add_defaults(Needed &needed, gp_dtype dtype) {
    constexpr size_t kLargest = 1 << 14;
    const auto add = [&](size_t m, size_t n, size_t k) {
        Call call = read_call(dtype, m, n, k, k, n, n, nullptr);
        set_operands(call, cl::Operand::stand_in(), cl::Operand::stand_in(), cl::Operand::stand_in());
        needed.add(algorithms(), call.request);
    };
    Needed::for_each_size_to(kLargest, 64, [&](size_t n) {
        add(n, n, n);
        if (dtype == GP_FLOAT16 && n % 4 == 0) add(n + 2, n + 2, n + 2); // lines begin at whole words
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

} // namespace

const Operation kOperation = {GP_MATMUL,    "matmul",      kTypes, infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_calls};

} // namespace gpcl::matmul

using namespace gpcl;

gp_status gp_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, const void *a, size_t lda,
                    const void *b, size_t ldb, void *c, size_t ldc, const gp_matmul_options *options) {
    return guard("gp_matmul", [&] {
        const auto device = cl::contexts().get(context, "context");
        matmul::Call call = matmul::read_call(dtype, m, n, k, lda, ldb, ldc, options);
        const size_t size = call.size;
        const auto bytes_of = [&](const matmul::Stored &x, const void *pointer) {
            if (!x.empty()) require_pointer(pointer, x.name);
            require_aligned(pointer, size, x.name);
            return multiply(x.span(), size, x.name);
        };
        const Extent extent_a = extent(a, bytes_of(call.a, a));
        const Extent extent_b = extent(b, bytes_of(call.b, b));
        const Extent extent_c = extent(c, bytes_of(call.c, c));
        matmul::require_beside(call.a, extent_a, call.c, extent_c, size);
        matmul::require_beside(call.b, extent_b, call.c, extent_c, size);
        matmul::require_device(*device, dtype);

        cl::Task task(device, call.options.event);
        const bool by_columns = call.options.layout == GP_COLUMN_MAJOR;
        const matmul::HostMatrices host{by_columns ? b : a, by_columns ? a : b,
                                        (by_columns ? extent_a : extent_b).bytes, c};
        if (matmul::run_pieces(task, *device, call.request, call.options.algorithm, host)) return task.end();
        const bool beside = overlap(extent_a, extent_c) || overlap(extent_b, extent_c);
        const auto input_a = task.input(a, extent_a.bytes);
        const auto input_b = task.input(b, extent_b.bytes);
        if (call.c.has_gaps() && !device->is_host() && (beside || !device->works_in_place(extent_c.bytes))) {
            matmul::Gathered gathered(task, call, c);
            matmul::set_operands(call, input_a, input_b, gathered.operand());
            matmul::run(task, call);
            gathered.scatter(task);
        } else {
            const auto output = call.request.reads_c ? task.in_out(c, extent_c.bytes) : task.output(c, extent_c.bytes);
            matmul::set_operands(call, input_a, input_b, output);
            matmul::run(task, call);
        }
        task.end();
    });
}

gp_status gp_enqueue_matmul(gp_context *context, gp_dtype dtype, size_t m, size_t n, size_t k, gp_buffer *a,
                            size_t a_offset, size_t lda, gp_buffer *b, size_t b_offset, size_t ldb, gp_buffer *c,
                            size_t c_offset, size_t ldc, const gp_matmul_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_matmul", [&] {
        const auto device = cl::contexts().get(context, "context");
        matmul::Call call = matmul::read_call(dtype, m, n, k, lda, ldb, ldc, options);
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event});
        const auto operand = [&](const matmul::Stored &x, const gp_buffer *buffer, size_t offset) {
            if (buffer == nullptr && x.empty()) return cl::Operand{};
            return task.operand(buffer, offset, x.span(), call.size, x.name);
        };
        const auto operand_a = operand(call.a, a, a_offset);
        const auto operand_b = operand(call.b, b, b_offset);
        const auto operand_c = operand(call.c, c, c_offset);
        matmul::require_beside(call.a, operand_a.extent, call.c, operand_c.extent, call.size);
        matmul::require_beside(call.b, operand_b.extent, call.c, operand_c.extent, call.size);
        matmul::require_device(*device, dtype);
        matmul::set_operands(call, operand_a, operand_b, operand_c);
        matmul::run(task, call);
        task.end();
    });
}
