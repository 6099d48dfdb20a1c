// What every language sees, beside the constants and structures of <gpcl/gpcl.h>: a context, and memory of its device.
// SPDX-License-Identifier: MIT
#pragma once
#include "data.h"

namespace gpcl_swig {

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

  private:
    gp_context *handle_ = nullptr;
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
