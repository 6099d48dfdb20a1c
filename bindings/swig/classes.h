// What every language sees, beside the constants and structures of <gpcl/gpcl.h>: a context, memory of its device, and the
// caller's own kernels. What is enqueued on one context runs in that order, and reading a buffer waits for it.
// SPDX-License-Identifier: MIT
#pragma once
#include "data.h"

namespace gpcl_swig {

class Context;

// Memory of a context's device. Offsets are in elements.
class DeviceBuffer {
  public:
    DeviceBuffer(Context &context, size_t bytes);
    ~DeviceBuffer() { gp_buffer_free(handle_); }
    DeviceBuffer(const DeviceBuffer &) = delete;
    DeviceBuffer &operator=(const DeviceBuffer &) = delete;

    void release() { // without waiting for the language to collect it
        gp_buffer *handle = handle_;
        handle_ = nullptr;
        check(gp_buffer_free(handle));
    }
    size_t bytes() {
        size_t result = 0;
        check(gp_buffer_bytes(handle_, &result));
        return result;
    }
    void write(gp_dtype dtype, In &in, size_t offset = 0) {
        const void *elements = in.elements(dtype);
        check(gp_buffer_write(handle_, offset * gp_dtype_size(dtype), in.bytes(), elements));
    }
    void read(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, true); }
    void read_packed(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, false); }
    void fill(gp_dtype dtype, size_t n, In &pattern, size_t offset = 0) {
        const size_t size = gp_dtype_size(dtype);
        const void *elements = pattern.elements(dtype);
        check(gp_buffer_fill(handle_, offset * size, n * size, elements, pattern.bytes()));
    }
    void copy_to(DeviceBuffer &destination, size_t bytes, size_t offset_bytes = 0,
                 size_t destination_offset_bytes = 0) {
        check(gp_buffer_copy(handle_, offset_bytes, destination.handle_, destination_offset_bytes, bytes));
    }

  private:
    friend class Context;
    friend class Arguments;

    void read_as(gp_dtype dtype, size_t n, Out &out, size_t offset, bool as_list) {
        const size_t size = gp_dtype_size(dtype), end = offset + n, all = bytes();
        if (size == 0) refuse(GP_ERROR_DTYPE, std::to_string(dtype) + " is no element type");
        if (end < n || end > all / size) // before memory for a result is taken
            refuse(GP_ERROR_OUT_OF_BOUNDS, "the buffer has " + std::to_string(all) + " bytes");
        check(gp_buffer_read(handle_, offset * size, n * size, out.elements(dtype, n, as_list)));
    }
    gp_buffer *handle_ = nullptr;
};

class Context {
  public:
    explicit Context(const char *device = nullptr) { check(gp_open(device, &handle_)); }
    ~Context() { gp_close(handle_); }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    void close() {
        gp_context *handle = handle_;
        handle_ = nullptr; // what is called after this says that there is no context
        check(gp_close(handle));
    }
    gp_device_info describe() {
        gp_device_info info = {};
        info.struct_size = sizeof info;
        check(gp_describe(handle_, &info));
        return info;
    }
    void finish() { check(gp_finish(handle_)); }
    void flush() { check(gp_flush(handle_)); }
    void trim() { check(gp_trim(handle_)); }
    void warmup(gp_operation operation, gp_dtype dtype) { check(gp_warmup(handle_, operation, dtype)); }

    void sort(gp_dtype dtype, InOut &keys, const gp_sort_options *options = nullptr) {
        check(gp_sort(handle_, dtype, keys.count_of(dtype), keys.elements(dtype), options));
    }
    // Values are of a type too, so that lists can hold them.
    void sort_pairs(gp_dtype dtype, InOut &keys, gp_dtype value_dtype, InOut &values,
                    const gp_sort_options *options = nullptr) {
        const size_t n = keys.count_of(dtype);
        if (values.count_of(value_dtype) != n)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   std::to_string(n) + " keys, but " + std::to_string(values.count_of(value_dtype)) + " values");
        check(gp_sort_pairs(handle_, dtype, n, keys.elements(dtype), gp_dtype_size(value_dtype),
                            values.elements(value_dtype), options));
    }
    void argsort(gp_dtype dtype, In &keys, gp_dtype index_dtype, Out &indices,
                 const gp_sort_options *options = nullptr) {
        const size_t n = keys.count_of(dtype);
        check(gp_argsort(handle_, dtype, n, keys.elements(dtype), index_dtype,
                         indices.elements(index_dtype, n, keys.is_list()), options));
    }
    void scan(gp_dtype dtype, In &in, Out &out, const gp_scan_options *options = nullptr) {
        const size_t n = in.count_of(dtype);
        check(gp_scan(handle_, dtype, n, in.elements(dtype), out.elements(dtype, n, in.is_list()), options));
    }
    void reduce(gp_dtype dtype, In &in, Out &out, const gp_reduce_options *options = nullptr) {
        check(gp_reduce(handle_, dtype, in.count_of(dtype), in.elements(dtype), out.elements(dtype, 1, in.is_list()),
                        options));
    }
    // Matrices without gaps: the leading dimensions follow from m, n, k, the layout and the transposes.
    void matmul(gp_dtype dtype, size_t m, size_t n, size_t k, In &a, In &b, Out &c,
                const gp_matmul_options *options = nullptr) {
        const gp_matmul_options none = GP_MATMUL_OPTIONS_INIT;
        const gp_matmul_options &o = options != nullptr ? *options : none;
        const size_t more = o.batch > 1 ? o.batch - 1 : 0;
        const auto leading = [&](size_t rows, size_t columns, gp_transpose transpose) {
            return (o.layout == GP_COLUMN_MAJOR) != (transpose == GP_TRANSPOSE) ? rows : columns;
        };
        a.require(dtype, m * k + more * o.stride_a, "a");
        b.require(dtype, k * n + more * o.stride_b, "b");
        check(gp_matmul(handle_, dtype, m, n, k, a.elements(dtype), leading(m, k, o.transpose_a), b.elements(dtype),
                        leading(k, n, o.transpose_b), c.elements(dtype, m * n + more * o.stride_c, a.is_list()),
                        leading(m, n, GP_NO_TRANSPOSE), options));
    }

    void histogram(gp_dtype dtype, In &in, size_t bins, Out &counts, const gp_histogram_options *options = nullptr) {
        check(gp_histogram(handle_, dtype, in.count_of(dtype), in.elements(dtype), bins,
                           static_cast<uint64_t *>(counts.elements(GP_UINT64, bins, in.is_list())), options));
    }
    // As many rows as options->batch says; `initial` without elements stands for zeros.
    void recurrence(gp_dtype dtype, In &in, In &coefficients, In &initial, Out &out,
                    const gp_recurrence_options *options = nullptr) {
        gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
        if (options != nullptr) o = *options;
        const size_t rows = o.batch > 1 ? o.batch : 1, count = in.count_of(dtype), before = (rows - 1) * o.stride_in;
        if (before > count)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   "in has " + std::to_string(count) + " elements, its last row begins at " + std::to_string(before));
        const size_t n = o.stride_in != 0 ? count - before : count / rows, order = coefficients.count_of(dtype);
        if (initial.count_of(dtype) != 0) {
            initial.require(dtype, rows * order, "initial");
            o.initial = initial.elements(dtype);
        }
        const size_t results = (rows - 1) * (o.stride_out != 0 ? o.stride_out : n) + n;
        check(gp_recurrence(handle_, dtype, n, in.elements(dtype), out.elements(dtype, results, in.is_list()), order,
                            coefficients.elements(dtype), &o));
    }

    // The same on buffers, as in the C header but without events.
    void enqueue_sort(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset,
                      const gp_sort_options *options = nullptr) {
        check(gp_enqueue_sort(handle_, dtype, n, keys.handle_, keys_offset, options, 0, nullptr, nullptr));
    }
    void enqueue_sort_pairs(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, size_t value_size,
                            DeviceBuffer &values, size_t values_offset, const gp_sort_options *options = nullptr) {
        check(gp_enqueue_sort_pairs(handle_, dtype, n, keys.handle_, keys_offset, value_size, values.handle_,
                                    values_offset, options, 0, nullptr, nullptr));
    }
    void enqueue_argsort(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, gp_dtype index,
                         DeviceBuffer &indices, size_t indices_offset, const gp_sort_options *options = nullptr) {
        check(gp_enqueue_argsort(handle_, dtype, n, keys.handle_, keys_offset, index, indices.handle_, indices_offset,
                                 options, 0, nullptr, nullptr));
    }
    void enqueue_scan(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                      size_t out_offset, const gp_scan_options *options = nullptr) {
        check(gp_enqueue_scan(handle_, dtype, n, in.handle_, in_offset, out.handle_, out_offset, options, 0, nullptr,
                              nullptr));
    }
    void enqueue_reduce(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                        size_t out_offset, const gp_reduce_options *options = nullptr) {
        check(gp_enqueue_reduce(handle_, dtype, n, in.handle_, in_offset, out.handle_, out_offset, options, 0, nullptr,
                                nullptr));
    }
    void enqueue_matmul(gp_dtype dtype, size_t m, size_t n, size_t k, DeviceBuffer &a, size_t a_offset, size_t lda,
                        DeviceBuffer &b, size_t b_offset, size_t ldb, DeviceBuffer &c, size_t c_offset, size_t ldc,
                        const gp_matmul_options *options = nullptr) {
        check(gp_enqueue_matmul(handle_, dtype, m, n, k, a.handle_, a_offset, lda, b.handle_, b_offset, ldb, c.handle_,
                                c_offset, ldc, options, 0, nullptr, nullptr));
    }
    void enqueue_histogram(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, size_t bins,
                           DeviceBuffer &counts, size_t counts_offset, const gp_histogram_options *options = nullptr) {
        check(gp_enqueue_histogram(handle_, dtype, n, in.handle_, in_offset, bins, counts.handle_, counts_offset,
                                   options, 0, nullptr, nullptr));
    }
    // From zeros: the initial state is for the form on host memory.
    void enqueue_recurrence(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                            size_t out_offset, In &coefficients, const gp_recurrence_options *options = nullptr) {
        check(gp_enqueue_recurrence(handle_, dtype, n, in.handle_, in_offset, out.handle_, out_offset,
                                    coefficients.count_of(dtype), coefficients.elements(dtype), options, 0, nullptr,
                                    nullptr));
    }

  private:
    friend class DeviceBuffer;
    friend class Kernel;
    gp_context *handle_ = nullptr;
};

inline DeviceBuffer::DeviceBuffer(Context &context, size_t bytes) {
    check(gp_buffer_create(context.handle_, bytes, &handle_));
}

// The arguments of a launch, in the kernel's order.
class Arguments {
  public:
    void add_buffer(DeviceBuffer &buffer) { arguments_.push_back({{buffer.handle_, nullptr, 0}, false, {}}); }
    void add_integer(gp_dtype dtype, int64_t value) { number(dtype, {false, 0, value}); }
    void add_real(gp_dtype dtype, double value) { number(dtype, {true, value, 0}); }
    void add_local(size_t bytes) { arguments_.push_back({{nullptr, nullptr, bytes}, false, {}}); }

  private:
    friend class Kernel;
    struct Argument {
        gp_argument argument;
        bool by_value;
        unsigned char value[8];
    };
    void number(gp_dtype dtype, Number number) {
        Argument argument = {{nullptr, nullptr, gp_dtype_size(dtype)}, true, {}};
        with_type(dtype, [&](auto value) {
            value = number.as<decltype(value)>();
            std::memcpy(argument.value, &value, sizeof value);
        });
        arguments_.push_back(argument);
    }
    std::vector<gp_argument> get() const {
        std::vector<gp_argument> result;
        for (const Argument &argument : arguments_) {
            result.push_back(argument.argument);
            if (argument.by_value) result.back().value = argument.value;
        }
        return result;
    }
    std::vector<Argument> arguments_;
};

// A kernel of the caller's own OpenCL C.
class Kernel {
  public:
    Kernel(Context &context, const char *source, const char *name, const char *options = nullptr) {
        check(gp_kernel_build(context.handle_, source, options, name, &handle_));
    }
    ~Kernel() { gp_kernel_free(handle_); }
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;

    // Over x * y * z work-items, in work-groups of local_x * local_y * local_z; with local_x = 0 of the device's choice.
    void enqueue(const Arguments &arguments, size_t x, size_t y = 1, size_t z = 1, size_t local_x = 0,
                 size_t local_y = 1, size_t local_z = 1) {
        const std::vector<gp_argument> list = arguments.get();
        const size_t global[] = {x, y, z}, local[] = {local_x, local_y, local_z};
        check(gp_enqueue_kernel(handle_, 3, global, local_x != 0 ? local : nullptr, list.size(), list.data(), 0,
                                nullptr, nullptr));
    }

  private:
    gp_kernel *handle_ = nullptr;
};

// The devices that there are, as gp_open sees them.
inline size_t devices() {
    size_t count = 0;
    check(gp_devices(&count));
    return count;
}
inline gp_device_info device(size_t index) {
    gp_device_info info = {};
    info.struct_size = sizeof info;
    check(gp_device_describe(index, &info));
    return info;
}

// The algorithms of an operation, in the order in which they are preferred.
inline size_t algorithms(gp_operation operation) {
    size_t count = 0;
    check(gp_algorithms(operation, &count));
    return count;
}
inline gp_algorithm_info algorithm(gp_operation operation, size_t index) {
    gp_algorithm_info info = {};
    info.struct_size = sizeof info;
    check(gp_algorithm_describe(operation, index, &info));
    return info;
}

} // namespace gpcl_swig
