// What every language sees, beside the constants and structures of <gpcl/gpcl.h>: a context, memory
// of its device, the caller's own kernels, and the events of calls. What is enqueued on one context
// runs in that order, and reading a buffer waits for it; so there are no wait lists here.
// SPDX-License-Identifier: MIT
#pragma once
#include "data.h"

#include <cmath>
#include <limits>
#include <memory>

namespace gpcl_swig {

class Context;

// The progress and the times of the call that it was given to. It can be given to one call after
// another.
class Event {
  public:
    Event() = default;
    ~Event() { gp_event_free(handle_); }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;

    void finish() { check(gp_event_wait(handle_)); } // waits; Java has another use for the word
    bool done_within(size_t milliseconds) {          // waits no longer; the work goes on
        const gp_status status = gp_event_wait_for(handle_, milliseconds);
        if (status != GP_ERROR_TIMEOUT) check(status);
        return status == GP_SUCCESS;
    }
    bool done() { // does not wait
        int32_t result = 0;
        check(gp_event_done(handle_, &result));
        return result != 0;
    }
    // Times need Context::profile before the call.
    gp_timing timing() {
        gp_timing result = GP_TIMING_INIT;
        check(gp_event_timing(handle_, &result));
        return result;
    }
    gp_command command(size_t index) {
        gp_command result = GP_COMMAND_INIT;
        check(gp_event_command(handle_, index, &result));
        return result;
    }

  private:
    friend class Slot;
    gp_event *handle_ = nullptr;
};

#ifndef SWIG // the rest of the way to the C functions
// Where a call leaves its event, if the caller wants one.
class Slot {
  public:
    explicit Slot(Event *event) : event_(event) {}
    ~Slot() {
        if (made_ == nullptr) return;
        gp_event_free(event_->handle_);
        event_->handle_ = made_;
    }
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;
    operator gp_event **() { return event_ != nullptr ? &made_ : nullptr; }

  private:
    Event *event_;
    gp_event *made_ = nullptr;
};

// The options of a call: on host memory they also say where the event goes.
template <class Options> struct Call {
    Call(const Options &initial, const Options *given, Event *event)
        : slot(event), options(given != nullptr ? *given : initial) {
        options.event = slot;
    }
    Slot slot;
    Options options;
};

// A factor of the matrix product, which MatmulOptions holds as float64, in the type that is
// computed in.
class Factor {
  public:
    Factor(gp_dtype dtype, gp_dtype c_dtype, const void *held) {
        if (held == nullptr) return;
        const double given = *static_cast<const double *>(held);
        with_type(computed_in(dtype, c_dtype), [&](auto value) {
            using Type = decltype(value);
            using Limits = std::numeric_limits<Type>;
            if (Limits::is_integer && !(given >= static_cast<double>(Limits::lowest()) &&
                                        given <= static_cast<double>(Limits::max()) && given == std::trunc(given)))
                refuse(GP_ERROR_OPTION, "alpha, beta and bounds must be of the type that is computed in");
            value = static_cast<Type>(given);
            std::memcpy(value_, &value, sizeof value);
        });
        given_ = true;
    }
    const void *get() const { return given_ ? value_ : nullptr; }

  private:
    static gp_dtype computed_in(gp_dtype dtype, gp_dtype c_dtype) {
        if (dtype == GP_FLOAT16 || dtype == GP_BFLOAT16) return GP_FLOAT32;
        return dtype == GP_INT8 || dtype == GP_UINT8 || c_dtype == GP_INT32 ? GP_INT32 : dtype;
    }

    bool given_ = false;
    alignas(8) unsigned char value_[8] = {};
};
#endif

// Memory of a context's device. Offsets are in elements.
class DeviceBuffer {
  public:
    DeviceBuffer(Context &context, size_t bytes);
    DeviceBuffer(const DeviceBuffer &) = delete;
    DeviceBuffer &operator=(const DeviceBuffer &) = delete;

    void release() { handle_.reset(); } // without waiting for the language to collect it
    size_t bytes() {
        size_t result = 0;
        check(gp_buffer_bytes(get(), &result));
        return result;
    }
    void write(gp_dtype dtype, In &in, size_t offset = 0) {
        const void *elements = in.elements(dtype);
        check(gp_buffer_write(get(), offset * gp_dtype_size(dtype), in.bytes(), elements));
    }
    void read(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, true); }
    void read_packed(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, false); }
    // These two only enqueue.
    void fill(gp_dtype dtype, size_t n, In &pattern, size_t offset = 0, Event *event = nullptr) {
        const size_t size = gp_dtype_size(dtype);
        const void *elements = pattern.elements(dtype);
        check(gp_enqueue_fill(get(), offset * size, n * size, elements, pattern.bytes(), 0, nullptr, Slot(event)));
    }
    void copy_to(DeviceBuffer &destination, size_t bytes, size_t offset_bytes = 0, size_t destination_offset_bytes = 0,
                 Event *event = nullptr) {
        check(gp_enqueue_copy(get(), offset_bytes, destination.get(), destination_offset_bytes, bytes, 0, nullptr,
                              Slot(event)));
    }

  private:
    friend class Context;
    friend class Arguments;
    friend class Mapping;

    gp_buffer *get() const { return handle_.get(); }
    void read_as(gp_dtype dtype, size_t n, Out &out, size_t offset, bool as_list) {
        const size_t size = within(dtype, n, offset, bytes()); // before memory for a result is taken
        check(gp_buffer_read(get(), offset * size, n * size, out.elements(dtype, n, as_list)));
    }
    std::shared_ptr<gp_buffer> handle_;
};

// A buffer's bytes in host memory, without a copy where the device shares it. Nothing else may use
// the buffer until release(). Offsets are in elements.
class Mapping {
  public:
    Mapping(DeviceBuffer &buffer, gp_access access) : handle_(buffer.handle_), access_(access), bytes_(buffer.bytes()) {
        check(gp_buffer_map(handle_.get(), access, 0, bytes_, &memory_));
    }
    ~Mapping() { gp_buffer_unmap(handle_.get(), memory_); }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;

    void release() { // the buffer may be used again
        void *memory = memory_;
        memory_ = nullptr;
        if (memory != nullptr) check(gp_buffer_unmap(handle_.get(), memory));
    }
    void write(gp_dtype dtype, In &in, size_t offset = 0) {
        const void *elements = in.elements(dtype);
        const size_t n = in.count_of(dtype);
        if (n != 0) std::memcpy(at(dtype, n, offset, GP_WRITE), elements, in.bytes());
    }
    void read(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, true); }
    void read_packed(gp_dtype dtype, size_t n, Out &out, size_t offset = 0) { read_as(dtype, n, out, offset, false); }

    void *memory(gp_access access) { // for languages that can look at memory as it lies
        if (memory_ == nullptr) refuse(GP_ERROR_HANDLE, "the mapping is released");
        if ((access_ & access) != access)
            refuse(GP_ERROR_OPTION,
                   access == GP_WRITE ? "the buffer is mapped to be read" : "it is mapped to be written");
        return memory_;
    }
    gp_access access() const { return access_; }
    size_t bytes() const { return bytes_; }

  private:
    void *at(gp_dtype dtype, size_t n, size_t offset, gp_access access) {
        char *first = static_cast<char *>(memory(access));
        return first + offset * within(dtype, n, offset, bytes_);
    }
    void read_as(gp_dtype dtype, size_t n, Out &out, size_t offset, bool as_list) {
        const void *elements = at(dtype, n, offset, GP_READ);
        void *destination = out.elements(dtype, n, as_list);
        if (n != 0) std::memcpy(destination, elements, n * gp_dtype_size(dtype));
    }
    std::shared_ptr<gp_buffer> handle_;
    gp_access access_;
    size_t bytes_;
    void *memory_ = nullptr;
};

class Context {
  public:
    // memory_bytes: the most device memory that it may take; 0: what GPCL_DEVICE_MEMORY says.
    explicit Context(const char *device = nullptr, size_t memory_bytes = 0) {
        const gp_open_options options = {sizeof options, memory_bytes};
        check(memory_bytes == 0 ? gp_open(device, &handle_) : gp_open_with(device, &options, &handle_));
    }
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
    // Where this thread's last call ran, and why; of a context opened by "auto".
    const char *explain() { return gp_explain(handle_); }
    void finish() { check(gp_finish(handle_)); }
    void flush() { check(gp_flush(handle_)); }
    void trim() { check(gp_trim(handle_)); }
    void profile(bool enabled = true) {
        check(gp_profile(handle_, enabled ? 1 : 0));
    } // times for the events of later calls
    void warmup(gp_operation operation, gp_dtype dtype) { check(gp_warmup(handle_, operation, dtype)); }
    void prove(gp_operation operation, size_t index, gp_dtype dtype, bool now) {
        check(gp_prove(handle_, operation, index, dtype, now ? 1 : 0));
    }

    void sort(gp_dtype dtype, InOut &keys, const gp_sort_options *options = nullptr, Event *event = nullptr) {
        Call<gp_sort_options> call(GP_SORT_OPTIONS_INIT, options, event);
        const size_t n = row(keys.count_of(dtype), call.options);
        check(gp_sort(handle_, dtype, n, keys.elements(dtype), &call.options));
    }
    // Values are of a type too, so that lists can hold them.
    void sort_pairs(gp_dtype dtype, InOut &keys, gp_dtype value_dtype, InOut &values,
                    const gp_sort_options *options = nullptr, Event *event = nullptr) {
        const size_t n = keys.count_of(dtype);
        if (values.count_of(value_dtype) != n)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   std::to_string(n) + " keys, but " + std::to_string(values.count_of(value_dtype)) + " values");
        Call<gp_sort_options> call(GP_SORT_OPTIONS_INIT, options, event);
        check(gp_sort_pairs(handle_, dtype, row(n, call.options), keys.elements(dtype), gp_dtype_size(value_dtype),
                            values.elements(value_dtype), &call.options));
    }
    void merge(gp_dtype dtype, In &a, In &b, Out &out, const gp_merge_options *options = nullptr,
               Event *event = nullptr) {
        Call<gp_merge_options> call(GP_MERGE_OPTIONS_INIT, options, event);
        const size_t n_a = a.count_of(dtype), n_b = b.count_of(dtype);
        check(gp_merge(handle_, dtype, n_a, a.elements(dtype), n_b, b.elements(dtype),
                       out.elements(dtype, n_a + n_b, a.is_list()), &call.options));
    }
    // The elements whose uint8 flag is not 0, or for which options->predicate holds; then flags may
    // be empty. Returns how many those are: the first elements of out.
    size_t select(gp_dtype dtype, In &in, In &flags, Out &out, const gp_select_options *options = nullptr,
                  Event *event = nullptr) {
        return keep(gp_select, dtype, in, flags, out, options, event);
    }
    // The same, and the others behind them.
    size_t partition(gp_dtype dtype, In &in, In &flags, Out &out, const gp_select_options *options = nullptr,
                     Event *event = nullptr) {
        return keep(gp_partition, dtype, in, flags, out, options, event);
    }
    // Both with values, which go where their elements go.
    size_t select_pairs(gp_dtype dtype, In &in, In &flags, Out &out, gp_dtype value_dtype, In &values, Out &out_values,
                        const gp_select_options *options = nullptr, Event *event = nullptr) {
        return keep_pairs(gp_select_pairs, dtype, in, flags, out, value_dtype, values, out_values, options, event);
    }
    size_t partition_pairs(gp_dtype dtype, In &in, In &flags, Out &out, gp_dtype value_dtype, In &values,
                           Out &out_values, const gp_select_options *options = nullptr, Event *event = nullptr) {
        return keep_pairs(gp_partition_pairs, dtype, in, flags, out, value_dtype, values, out_values, options, event);
    }
    // Where elements are not zero, or options->predicate holds. Returns how many they are.
    size_t nonzero(gp_dtype dtype, In &in, gp_dtype index_dtype, Out &positions,
                   const gp_select_options *options = nullptr, Event *event = nullptr) {
        Call<gp_select_options> call(GP_SELECT_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype);
        uint64_t count = 0;
        check(gp_nonzero(handle_, dtype, n, in.elements(dtype), index_dtype,
                         positions.elements(index_dtype, n, in.is_list()), &count, &call.options));
        return static_cast<size_t>(count);
    }
    // Run r is keys[offsets[r]] up to keys[offsets[r + 1]]; offsets are uint64.
    void merge_runs(gp_dtype dtype, In &keys, In &offsets, Out &out, const gp_merge_runs_options *options = nullptr,
                    Event *event = nullptr) {
        Call<gp_merge_runs_options> call(GP_MERGE_RUNS_OPTIONS_INIT, options, event);
        call.options.offset_type = GP_UINT64;
        const size_t n = keys.count_of(dtype);
        check(gp_merge_runs(handle_, dtype, n, keys.elements(dtype), runs_of(offsets), offsets.elements(GP_UINT64),
                            out.elements(dtype, n, keys.is_list()), &call.options));
    }
    void merge_runs_pairs(gp_dtype dtype, In &keys, In &offsets, Out &out, gp_dtype value_dtype, In &values,
                          Out &out_values, const gp_merge_runs_options *options = nullptr, Event *event = nullptr) {
        const size_t n = keys.count_of(dtype);
        if (values.count_of(value_dtype) != n) refuse(GP_ERROR_OUT_OF_BOUNDS, "expected as many values as keys");
        Call<gp_merge_runs_options> call(GP_MERGE_RUNS_OPTIONS_INIT, options, event);
        call.options.offset_type = GP_UINT64;
        check(gp_merge_runs_pairs(handle_, dtype, n, keys.elements(dtype), runs_of(offsets),
                                  offsets.elements(GP_UINT64), out.elements(dtype, n, keys.is_list()),
                                  gp_dtype_size(value_dtype), values.elements(value_dtype),
                                  out_values.elements(value_dtype, n, values.is_list()), &call.options));
    }
    size_t merge_runs_work_bytes(gp_dtype dtype, size_t n, size_t runs, size_t value_size = 0,
                                 const gp_merge_runs_options *options = nullptr) {
        size_t bytes = 0;
        check(gp_merge_runs_work_bytes(handle_, dtype, n, runs, value_size, options, &bytes));
        return bytes;
    }
    // Elements of one number each, whose OpenCL C type is `type`.
    void sort_by(gp_dtype dtype, InOut &elements, const char *type, const char *comes_before,
                 const gp_sort_by_options *options = nullptr, Event *event = nullptr) {
        Call<gp_sort_by_options> call(GP_SORT_BY_OPTIONS_INIT, options, event);
        const size_t n = elements.count_of(dtype);
        check(
            gp_sort_by(handle_, gp_dtype_size(dtype), n, elements.elements(dtype), type, comes_before, &call.options));
    }
    void merge_pairs(gp_dtype dtype, In &a, In &b, Out &out, gp_dtype value_dtype, In &a_values, In &b_values,
                     Out &out_values, const gp_merge_options *options = nullptr, Event *event = nullptr) {
        const size_t n_a = a.count_of(dtype), n_b = b.count_of(dtype);
        if (a_values.count_of(value_dtype) != n_a || b_values.count_of(value_dtype) != n_b)
            refuse(GP_ERROR_OUT_OF_BOUNDS, "expected as many values as keys");
        Call<gp_merge_options> call(GP_MERGE_OPTIONS_INIT, options, event);
        check(gp_merge_pairs(handle_, dtype, n_a, a.elements(dtype), n_b, b.elements(dtype),
                             out.elements(dtype, n_a + n_b, a.is_list()), gp_dtype_size(value_dtype),
                             a_values.elements(value_dtype), b_values.elements(value_dtype),
                             out_values.elements(value_dtype, n_a + n_b, a_values.is_list()), &call.options));
    }
    void argsort(gp_dtype dtype, In &keys, gp_dtype index_dtype, Out &indices, const gp_sort_options *options = nullptr,
                 Event *event = nullptr) {
        const size_t n = keys.count_of(dtype);
        Call<gp_sort_options> call(GP_SORT_OPTIONS_INIT, options, event);
        check(gp_argsort(handle_, dtype, row(n, call.options), keys.elements(dtype), index_dtype,
                         indices.elements(index_dtype, n, keys.is_list()), &call.options));
    }
    void scan(gp_dtype dtype, In &in, Out &out, const gp_scan_options *options = nullptr, Event *event = nullptr) {
        Call<gp_scan_options> call(GP_SCAN_OPTIONS_INIT, options, event);
        const gp_scan_options &o = call.options;
        const size_t count = in.count_of(dtype), n = row(count, o);
        if (o.step_out > 1) refuse(GP_ERROR_OPTION, "strides and steps are for buffers");
        check(gp_scan(handle_, dtype, n, in.elements(dtype),
                      out.elements(o.accumulator != 0 ? o.accumulator : dtype, count, in.is_list()), &o));
    }
    void reduce(gp_dtype dtype, In &in, Out &out, const gp_reduce_options *options = nullptr, Event *event = nullptr) {
        Call<gp_reduce_options> call(GP_REDUCE_OPTIONS_INIT, options, event);
        const gp_reduce_options &o = call.options;
        const size_t n = row(in.count_of(dtype), o);
        check(gp_reduce(
            handle_, dtype, n, in.elements(dtype),
            out.elements(o.accumulator != 0 ? o.accumulator : dtype, o.batch > 1 ? o.batch : 1, in.is_list()), &o));
    }
    void arg_reduce(gp_operator op, gp_dtype dtype, In &in, gp_dtype index_dtype, Out &positions,
                    const gp_arg_reduce_options *options = nullptr, Event *event = nullptr) {
        Call<gp_arg_reduce_options> call(GP_ARG_REDUCE_OPTIONS_INIT, options, event);
        const gp_arg_reduce_options &o = call.options;
        const size_t n = row(in.count_of(dtype), o), batch = o.batch > 1 ? o.batch : 1;
        check(gp_arg_reduce(handle_, op, dtype, n, in.elements(dtype), index_dtype,
                            positions.elements(index_dtype, batch, in.is_list()), nullptr, &o));
    }
    void top_k(gp_order order, gp_dtype dtype, In &in, size_t k, gp_dtype index_dtype, Out &positions,
               const gp_top_k_options *options = nullptr, Event *event = nullptr) {
        Call<gp_top_k_options> call(GP_TOP_K_OPTIONS_INIT, options, event);
        const gp_top_k_options &o = call.options;
        const size_t n = row(in.count_of(dtype), o), batch = o.batch > 1 ? o.batch : 1;
        if (o.stride_out > k) refuse(GP_ERROR_OPTION, "strides and steps are for buffers");
        if (k > n) refuse(GP_ERROR_OPTION, "k is more than the elements of a row");
        check(gp_top_k(handle_, order, dtype, n, in.elements(dtype), k, index_dtype,
                       positions.elements(index_dtype, batch * k, in.is_list()), nullptr, &o));
    }

    void search(gp_dtype dtype, In &sorted, In &values, gp_dtype index_dtype, Out &positions,
                const gp_search_options *options = nullptr, Event *event = nullptr) {
        Call<gp_search_options> call(GP_SEARCH_OPTIONS_INIT, options, event);
        const size_t m = values.count_of(dtype);
        check(gp_search(handle_, dtype, sorted.count_of(dtype), sorted.elements(dtype), m, values.elements(dtype),
                        index_dtype, positions.elements(index_dtype, m, values.is_list()), &call.options));
    }
    void is_sorted(gp_dtype dtype, In &in, Out &positions, const gp_is_sorted_options *options = nullptr,
                   Event *event = nullptr) {
        Call<gp_is_sorted_options> call(GP_IS_SORTED_OPTIONS_INIT, options, event);
        const gp_is_sorted_options &o = call.options;
        const size_t n = row(in.count_of(dtype), o), batch = o.batch > 1 ? o.batch : 1;
        check(gp_is_sorted(handle_, dtype, n, in.elements(dtype),
                           static_cast<uint64_t *>(positions.elements(GP_UINT64, batch, in.is_list())), &o));
    }
    // Of two arrays, x0 and x1, of as many elements each, of which each has a type of its own.
    void transform(gp_dtype dtype0, In &x0, gp_dtype dtype1, In &x1, gp_dtype dtype, Out &out, const char *source,
                   const gp_transform_options *options = nullptr, Event *event = nullptr) {
        Call<gp_transform_options> call(GP_TRANSFORM_OPTIONS_INIT, options, event);
        const size_t n0 = x0.count_of(dtype0), n1 = x1.count_of(dtype1), bits = call.options.broadcast;
        if (((bits & 1) != 0 && n0 != 1) || ((bits & 2) != 0 && n1 != 1) || (bits == 0 && n0 != n1))
            refuse(GP_ERROR_OUT_OF_BOUNDS, "expected as many elements in both arrays, or one where it is broadcast");
        const size_t n = (bits & 1) != 0 ? n1 : n0;
        const gp_dtype dtypes[] = {dtype0, dtype1};
        const void *const in[] = {x0.elements(dtype0), x1.elements(dtype1)};
        check(gp_transform(handle_, n, 2, dtypes, in, dtype, out.elements(dtype, n, x0.is_list()), source,
                           &call.options));
    }
    void difference(gp_dtype dtype, In &in, Out &out, const gp_difference_options *options = nullptr,
                    Event *event = nullptr) {
        Call<gp_difference_options> call(GP_DIFFERENCE_OPTIONS_INIT, options, event);
        const gp_difference_options &o = call.options;
        const size_t count = in.count_of(dtype), n = row(count, o), batch = o.batch > 1 ? o.batch : 1;
        if (o.stride_out > 0 || o.step_out > 1) refuse(GP_ERROR_OPTION, "strides and steps are for buffers");
        const size_t results = o.first == GP_FIRST_KEPT ? count : count - (n > 0 ? batch : 0);
        check(gp_difference(handle_, dtype, n, in.elements(dtype), out.elements(dtype, results, in.is_list()), &o));
    }
    // Of numbers, or with options->row of rows of numbers, at positions of the type index_dtype.
    void gather(gp_dtype dtype, In &in, gp_dtype index_dtype, In &positions, Out &out,
                const gp_gather_options *options = nullptr, Event *event = nullptr) {
        Call<gp_gather_options> call(GP_GATHER_OPTIONS_INIT, options, event);
        const size_t row = call.options.row > 1 ? call.options.row : 1, m = positions.count_of(index_dtype);
        check(gp_gather(handle_, gp_dtype_size(dtype), rows_of(in.count_of(dtype), row), in.elements(dtype),
                        index_dtype, m, positions.elements(index_dtype), out.elements(dtype, m * row, in.is_list()),
                        &call.options));
    }
    // Into an array of the caller's.
    void scatter(gp_dtype dtype, In &in, gp_dtype index_dtype, In &positions, InOut &out,
                 const gp_gather_options *options = nullptr, Event *event = nullptr) {
        Call<gp_gather_options> call(GP_GATHER_OPTIONS_INIT, options, event);
        const size_t row = call.options.row > 1 ? call.options.row : 1, m = positions.count_of(index_dtype);
        in.require(dtype, m * row, "in");
        check(gp_scatter(handle_, gp_dtype_size(dtype), m, in.elements(dtype), index_dtype,
                         positions.elements(index_dtype), rows_of(out.count_of(dtype), row), out.elements(dtype),
                         &call.options));
    }
    // Of matrices without gaps, as many as options->batch says.
    void transpose_matrix(gp_dtype dtype, size_t rows, size_t columns, In &in, Out &out,
                          const gp_transpose_matrix_options *options = nullptr, Event *event = nullptr) {
        Call<gp_transpose_matrix_options> call(GP_TRANSPOSE_MATRIX_OPTIONS_INIT, options, event);
        const gp_transpose_matrix_options &o = call.options;
        if (o.stride_in != 0 || o.stride_out != 0) refuse(GP_ERROR_OPTION, "strides are for buffers");
        const size_t count = rows * columns * (o.batch > 1 ? o.batch : 1);
        in.require(dtype, count, "in");
        check(gp_transpose_matrix(handle_, gp_dtype_size(dtype), rows, columns, in.elements(dtype), columns,
                                  out.elements(dtype, count, in.is_list()), rows, &o));
    }
    // Both return how many runs there are: the elements of outputs that count.
    size_t run_lengths(gp_dtype dtype, In &in, Out &values, gp_dtype index_dtype, Out &lengths,
                       const gp_run_lengths_options *options = nullptr, Event *event = nullptr) {
        Call<gp_run_lengths_options> call(GP_RUN_LENGTHS_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype), most = call.options.capacity != 0 ? call.options.capacity : n;
        uint64_t count = 0;
        check(gp_run_lengths(handle_, dtype, n, in.elements(dtype), values.elements(dtype, most, in.is_list()),
                             index_dtype, lengths.elements(index_dtype, most, in.is_list()), &count, &call.options));
        return static_cast<size_t>(count);
    }
    size_t reduce_by_key(gp_dtype key_dtype, In &keys, gp_dtype dtype, In &values, Out &out_keys, Out &out_values,
                         const gp_reduce_by_key_options *options = nullptr, Event *event = nullptr) {
        Call<gp_reduce_by_key_options> call(GP_REDUCE_BY_KEY_OPTIONS_INIT, options, event);
        const gp_reduce_by_key_options &o = call.options;
        const size_t n = keys.count_of(key_dtype), most = o.capacity != 0 ? o.capacity : n;
        if (values.count_of(dtype) != n) refuse(GP_ERROR_OPTION, "there are not as many values as keys");
        uint64_t count = 0;
        check(gp_reduce_by_key(handle_, key_dtype, n, keys.elements(key_dtype), dtype, values.elements(dtype),
                               out_keys.elements(key_dtype, most, keys.is_list()),
                               out_values.elements(o.accumulator != 0 ? o.accumulator : dtype, most, keys.is_list()),
                               &count, &o));
        return static_cast<size_t>(count);
    }
    // Without initial value, which C has.
    void scan_by_key(gp_dtype key_dtype, In &keys, gp_dtype dtype, In &values, Out &out,
                     const gp_scan_by_key_options *options = nullptr, Event *event = nullptr) {
        Call<gp_scan_by_key_options> call(GP_SCAN_BY_KEY_OPTIONS_INIT, options, event);
        const gp_scan_by_key_options &o = call.options;
        const size_t n = keys.count_of(key_dtype);
        if (values.count_of(dtype) != n) refuse(GP_ERROR_OPTION, "there are not as many values as keys");
        check(gp_scan_by_key(handle_, key_dtype, n, keys.elements(key_dtype), dtype, values.elements(dtype),
                             out.elements(o.accumulator != 0 ? o.accumulator : dtype, n, values.is_list()), &o));
    }
    // Returns how many elements the result has, the sum of the repeats.
    size_t repeat(gp_dtype dtype, In &in, gp_dtype index_dtype, In &repeats, Out &out,
                  const gp_repeat_options *options = nullptr, Event *event = nullptr) {
        Call<gp_repeat_options> call(GP_REPEAT_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype), size = gp_dtype_size(dtype);
        if (repeats.count_of(index_dtype) != n) refuse(GP_ERROR_OPTION, "there are not as many repeats as elements");
        const void *const elements = in.elements(dtype), *const times = repeats.elements(index_dtype);
        uint64_t count = 0;
        check(gp_repeat(handle_, size, n, elements, index_dtype, times, 0, nullptr, &count, nullptr));
        const auto all = static_cast<size_t>(count);
        check(gp_repeat(handle_, size, n, elements, index_dtype, times, all, out.elements(dtype, all, in.is_list()),
                        &count, &call.options));
        return all;
    }
    // Returns how many distinct elements there are: those of values, firsts and counts that count.
    size_t unique(gp_dtype dtype, In &in, Out &values, gp_dtype index_dtype, Out &firsts, Out &inverse, Out &counts,
                  const gp_unique_options *options = nullptr, Event *event = nullptr) {
        Call<gp_unique_options> call(GP_UNIQUE_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype), most = call.options.capacity != 0 ? call.options.capacity : n;
        uint64_t count = 0;
        check(gp_unique(handle_, dtype, n, in.elements(dtype), values.elements(dtype, most, in.is_list()), index_dtype,
                        firsts.elements(index_dtype, most, in.is_list()),
                        inverse.elements(index_dtype, n, in.is_list()),
                        counts.elements(index_dtype, most, in.is_list()), &count, &call.options));
        return static_cast<size_t>(count);
    }
    // Of n x n elements without gaps. Where there is a cycle of negative length, the diagonal of
    // the lengths has a number below zero.
    void paths(gp_dtype dtype, size_t n, In &in, Out &out, const gp_paths_options *options = nullptr,
               Event *event = nullptr) {
        Call<gp_paths_options> call(GP_PATHS_OPTIONS_INIT, options, event);
        const size_t count = in.count_of(dtype);
        if (n > count || n * n != count) refuse(GP_ERROR_OUT_OF_BOUNDS, "expected n x n elements");
        check(gp_paths(handle_, dtype, n, in.elements(dtype), n, out.elements(dtype, count, in.is_list()), n, nullptr,
                       n, &call.options));
    }
    // The same with the int32 nodes before the end of each path.
    void paths_predecessors(gp_dtype dtype, size_t n, In &in, Out &out, Out &predecessors,
                            const gp_paths_options *options = nullptr, Event *event = nullptr) {
        Call<gp_paths_options> call(GP_PATHS_OPTIONS_INIT, options, event);
        const size_t count = in.count_of(dtype);
        if (n > count || n * n != count) refuse(GP_ERROR_OUT_OF_BOUNDS, "expected n x n elements");
        check(gp_paths(handle_, dtype, n, in.elements(dtype), n, out.elements(dtype, count, in.is_list()), n,
                       static_cast<int32_t *>(predecessors.elements(GP_INT32, count, in.is_list())), n, &call.options));
    }
    // Matrices without gaps: the leading dimensions follow from m, n, k, the layout and the
    // transposes. c is only written, unless it is memory of the caller's and options->beta is set.
    void matmul(gp_dtype dtype, size_t m, size_t n, size_t k, In &a, In &b, Out &c,
                const gp_matmul_options *options = nullptr, Event *event = nullptr) {
        if (options != nullptr && options->beta != nullptr && !c.is_lent())
            refuse(GP_ERROR_OPTION, "beta multiplies the old content of c: call matmul_into");
        multiply(dtype, m, n, k, a, b, options, event,
                 [&](gp_dtype of_c, size_t count) { return c.elements(of_c, count, a.is_list()); });
    }
    // c = alpha * a * b + beta * c
    void matmul_into(gp_dtype dtype, size_t m, size_t n, size_t k, In &a, In &b, InOut &c,
                     const gp_matmul_options *options = nullptr, Event *event = nullptr) {
        multiply(dtype, m, n, k, a, b, options, event, [&](gp_dtype of_c, size_t count) {
            c.require(of_c, count, "c");
            return c.elements(of_c);
        });
    }

    void histogram(gp_dtype dtype, In &in, size_t bins, Out &counts, const gp_histogram_options *options = nullptr,
                   Event *event = nullptr) {
        Call<gp_histogram_options> call(GP_HISTOGRAM_OPTIONS_INIT, options, event);
        check(gp_histogram(handle_, dtype, in.count_of(dtype), in.elements(dtype), bins,
                           static_cast<uint64_t *>(counts.elements(GP_UINT64, bins, in.is_list())), &call.options));
    }
    void histogram_weighted(gp_dtype dtype, In &in, gp_dtype weight_dtype, In &weights, size_t bins, Out &sums,
                            const gp_histogram_weighted_options *options = nullptr, Event *event = nullptr) {
        Call<gp_histogram_weighted_options> call(GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT, options, event);
        const gp_histogram_weighted_options &o = call.options;
        const size_t n = in.count_of(dtype);
        weights.require(weight_dtype, n, "weights");
        check(gp_histogram_weighted(
            handle_, dtype, n, in.elements(dtype), weight_dtype, weights.elements(weight_dtype), bins,
            sums.elements(o.sums_dtype != 0 ? o.sums_dtype : weight_dtype, bins, in.is_list()), &o));
    }
    // Counts, as uint64, of bins_x rows.
    void histogram_2d(gp_dtype dtype, In &x, In &y, size_t bins_x, size_t bins_y, Out &counts,
                      const gp_histogram_2d_options *options = nullptr, Event *event = nullptr) {
        Call<gp_histogram_2d_options> call(GP_HISTOGRAM_2D_OPTIONS_INIT, options, event);
        const size_t n = x.count_of(dtype);
        y.require(dtype, n, "y");
        check(gp_histogram_2d(handle_, dtype, n, x.elements(dtype), y.elements(dtype), 0, nullptr, bins_x, bins_y,
                              counts.elements(GP_UINT64, bins_x * bins_y, x.is_list()), &call.options));
    }
    // As many rows as options->batch says; `initial` without elements stands for zeros.
    void recurrence(gp_dtype dtype, In &in, In &coefficients, In &initial, Out &out,
                    const gp_recurrence_options *options = nullptr, Event *event = nullptr) {
        const size_t order = coefficients.count_of(dtype);
        recur(dtype, in, initial, order, out, options, event, [&](size_t n, void *results, const auto &o) {
            return gp_recurrence(handle_, dtype, n, in.elements(dtype), results, order, coefficients.elements(dtype),
                                 &o);
        });
    }
    // The same with a coefficient for each element, or for each of a row where
    // options->share_coefficients is 1.
    void recurrence_varying(gp_dtype dtype, In &in, In &coefficients, In &initial, Out &out,
                            const gp_recurrence_options *options = nullptr, Event *event = nullptr) {
        recur(dtype, in, initial, 1, out, options, event, [&](size_t n, void *results, const auto &o) {
            const size_t more = o.batch > 1 && o.share_coefficients == 0 ? o.batch - 1 : 0;
            coefficients.require(dtype, more * (o.stride_coefficients != 0 ? o.stride_coefficients : n) + n,
                                 "coefficients");
            return gp_recurrence_varying(handle_, dtype, n, coefficients.elements(dtype), in.elements(dtype), results,
                                         &o);
        });
    }

    // Bytes of device memory that such a sort of buffers takes; as in the C header.
    size_t sort_work_bytes(gp_dtype dtype, size_t n, size_t value_size = 0, gp_dtype index = 0,
                           const gp_sort_options *options = nullptr) {
        size_t result = 0;
        check(gp_sort_work_bytes(handle_, dtype, n, value_size, index, options, &result));
        return result;
    }

    // The same on buffers, as in the C header.
    void enqueue_sort(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset,
                      const gp_sort_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_sort(handle_, dtype, n, keys.get(), keys_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_sort_pairs(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, size_t value_size,
                            DeviceBuffer &values, size_t values_offset, const gp_sort_options *options = nullptr,
                            Event *event = nullptr) {
        check(gp_enqueue_sort_pairs(handle_, dtype, n, keys.get(), keys_offset, value_size, values.get(), values_offset,
                                    options, 0, nullptr, Slot(event)));
    }
    void enqueue_merge(gp_dtype dtype, size_t n_a, DeviceBuffer &a, size_t a_offset, size_t n_b, DeviceBuffer &b,
                       size_t b_offset, DeviceBuffer &out, size_t out_offset, const gp_merge_options *options = nullptr,
                       Event *event = nullptr) {
        check(gp_enqueue_merge(handle_, dtype, n_a, a.get(), a_offset, n_b, b.get(), b_offset, out.get(), out_offset,
                               options, 0, nullptr, Slot(event)));
    }
    void enqueue_select(size_t element_size, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &flags,
                        size_t flags_offset, DeviceBuffer &out, size_t out_offset, DeviceBuffer &count,
                        size_t count_offset, const gp_select_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_select(handle_, element_size, n, in.get(), in_offset, flags.get(), flags_offset, out.get(),
                                out_offset, count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_partition(size_t element_size, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &flags,
                           size_t flags_offset, DeviceBuffer &out, size_t out_offset, DeviceBuffer &count,
                           size_t count_offset, const gp_select_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_partition(handle_, element_size, n, in.get(), in_offset, flags.get(), flags_offset, out.get(),
                                   out_offset, count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_select_pairs(size_t element_size, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &flags,
                              size_t flags_offset, DeviceBuffer &out, size_t out_offset, size_t value_size,
                              DeviceBuffer &values, size_t values_offset, DeviceBuffer &out_values,
                              size_t out_values_offset, DeviceBuffer &count, size_t count_offset,
                              const gp_select_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_select_pairs(handle_, element_size, n, in.get(), in_offset, flags.get(), flags_offset,
                                      out.get(), out_offset, value_size, values.get(), values_offset, out_values.get(),
                                      out_values_offset, count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_partition_pairs(size_t element_size, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &flags,
                                 size_t flags_offset, DeviceBuffer &out, size_t out_offset, size_t value_size,
                                 DeviceBuffer &values, size_t values_offset, DeviceBuffer &out_values,
                                 size_t out_values_offset, DeviceBuffer &count, size_t count_offset,
                                 const gp_select_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_partition_pairs(handle_, element_size, n, in.get(), in_offset, flags.get(), flags_offset,
                                         out.get(), out_offset, value_size, values.get(), values_offset,
                                         out_values.get(), out_values_offset, count.get(), count_offset, options, 0,
                                         nullptr, Slot(event)));
    }
    void enqueue_nonzero(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, gp_dtype index_dtype,
                         DeviceBuffer &positions, size_t positions_offset, DeviceBuffer &count, size_t count_offset,
                         const gp_select_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_nonzero(handle_, dtype, n, in.get(), in_offset, index_dtype, positions.get(), positions_offset,
                                 count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_merge_runs(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, size_t runs,
                            DeviceBuffer &offsets, size_t offsets_offset, DeviceBuffer &out, size_t out_offset,
                            const gp_merge_runs_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_merge_runs(handle_, dtype, n, keys.get(), keys_offset, runs, offsets.get(), offsets_offset,
                                    out.get(), out_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_merge_runs_pairs(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, size_t runs,
                                  DeviceBuffer &offsets, size_t offsets_offset, DeviceBuffer &out, size_t out_offset,
                                  size_t value_size, DeviceBuffer &values, size_t values_offset,
                                  DeviceBuffer &out_values, size_t out_values_offset,
                                  const gp_merge_runs_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_merge_runs_pairs(handle_, dtype, n, keys.get(), keys_offset, runs, offsets.get(),
                                          offsets_offset, out.get(), out_offset, value_size, values.get(),
                                          values_offset, out_values.get(), out_values_offset, options, 0, nullptr,
                                          Slot(event)));
    }
    void enqueue_sort_by(size_t element_size, size_t n, DeviceBuffer &elements, size_t offset, const char *type,
                         const char *comes_before, const gp_sort_by_options *options = nullptr,
                         Event *event = nullptr) {
        check(gp_enqueue_sort_by(handle_, element_size, n, elements.get(), offset, type, comes_before, options, 0,
                                 nullptr, Slot(event)));
    }
    void enqueue_merge_pairs(gp_dtype dtype, size_t n_a, DeviceBuffer &a, size_t a_offset, size_t n_b, DeviceBuffer &b,
                             size_t b_offset, DeviceBuffer &out, size_t out_offset, size_t value_size,
                             DeviceBuffer &a_values, size_t a_values_offset, DeviceBuffer &b_values,
                             size_t b_values_offset, DeviceBuffer &out_values, size_t out_values_offset,
                             const gp_merge_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_merge_pairs(handle_, dtype, n_a, a.get(), a_offset, n_b, b.get(), b_offset, out.get(),
                                     out_offset, value_size, a_values.get(), a_values_offset, b_values.get(),
                                     b_values_offset, out_values.get(), out_values_offset, options, 0, nullptr,
                                     Slot(event)));
    }
    void enqueue_argsort(gp_dtype dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, gp_dtype index,
                         DeviceBuffer &indices, size_t indices_offset, const gp_sort_options *options = nullptr,
                         Event *event = nullptr) {
        check(gp_enqueue_argsort(handle_, dtype, n, keys.get(), keys_offset, index, indices.get(), indices_offset,
                                 options, 0, nullptr, Slot(event)));
    }
    void enqueue_scan(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                      size_t out_offset, const gp_scan_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_scan(handle_, dtype, n, in.get(), in_offset, out.get(), out_offset, options, 0, nullptr,
                              Slot(event)));
    }
    void enqueue_reduce(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                        size_t out_offset, const gp_reduce_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_reduce(handle_, dtype, n, in.get(), in_offset, out.get(), out_offset, options, 0, nullptr,
                                Slot(event)));
    }
    void enqueue_arg_reduce(gp_operator op, gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset,
                            gp_dtype index_dtype, DeviceBuffer &positions, size_t positions_offset,
                            const gp_arg_reduce_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_arg_reduce(handle_, op, dtype, n, in.get(), in_offset, index_dtype, positions.get(),
                                    positions_offset, nullptr, 0, options, 0, nullptr, Slot(event)));
    }
    void enqueue_top_k(gp_order order, gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, size_t k,
                       gp_dtype index_dtype, DeviceBuffer &positions, size_t positions_offset,
                       const gp_top_k_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_top_k(handle_, order, dtype, n, in.get(), in_offset, k, index_dtype, positions.get(),
                               positions_offset, nullptr, 0, options, 0, nullptr, Slot(event)));
    }

    void enqueue_search(gp_dtype dtype, size_t n, DeviceBuffer &sorted, size_t sorted_offset, size_t m,
                        DeviceBuffer &values, size_t values_offset, gp_dtype index_dtype, DeviceBuffer &positions,
                        size_t positions_offset, const gp_search_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_search(handle_, dtype, n, sorted.get(), sorted_offset, m, values.get(), values_offset,
                                index_dtype, positions.get(), positions_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_transform(gp_dtype dtype0, size_t n, DeviceBuffer &x0, size_t offset0, gp_dtype dtype1,
                           DeviceBuffer &x1, size_t offset1, gp_dtype dtype, DeviceBuffer &out, size_t out_offset,
                           const char *source, const gp_transform_options *options = nullptr, Event *event = nullptr) {
        const gp_dtype dtypes[] = {dtype0, dtype1};
        gp_buffer *const in[] = {x0.get(), x1.get()};
        const size_t offsets[] = {offset0, offset1};
        check(gp_enqueue_transform(handle_, n, 2, dtypes, in, offsets, dtype, out.get(), out_offset, source, options, 0,
                                   nullptr, Slot(event)));
    }
    void enqueue_difference(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                            size_t out_offset, const gp_difference_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_difference(handle_, dtype, n, in.get(), in_offset, out.get(), out_offset, options, 0, nullptr,
                                    Slot(event)));
    }
    void enqueue_is_sorted(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &positions,
                           size_t positions_offset, const gp_is_sorted_options *options = nullptr,
                           Event *event = nullptr) {
        check(gp_enqueue_is_sorted(handle_, dtype, n, in.get(), in_offset, positions.get(), positions_offset, options,
                                   0, nullptr, Slot(event)));
    }
    void enqueue_gather(size_t element_size, size_t n, DeviceBuffer &in, size_t in_offset, gp_dtype index_dtype,
                        size_t m, DeviceBuffer &positions, size_t positions_offset, DeviceBuffer &out,
                        size_t out_offset, const gp_gather_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_gather(handle_, element_size, n, in.get(), in_offset, index_dtype, m, positions.get(),
                                positions_offset, out.get(), out_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_scatter(size_t element_size, size_t m, DeviceBuffer &in, size_t in_offset, gp_dtype index_dtype,
                         DeviceBuffer &positions, size_t positions_offset, size_t n, DeviceBuffer &out,
                         size_t out_offset, const gp_gather_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_scatter(handle_, element_size, m, in.get(), in_offset, index_dtype, positions.get(),
                                 positions_offset, n, out.get(), out_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_transpose_matrix(size_t element_size, size_t rows, size_t columns, DeviceBuffer &in, size_t in_offset,
                                  size_t ld_in, DeviceBuffer &out, size_t out_offset, size_t ld_out,
                                  const gp_transpose_matrix_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_transpose_matrix(handle_, element_size, rows, columns, in.get(), in_offset, ld_in, out.get(),
                                          out_offset, ld_out, options, 0, nullptr, Slot(event)));
    }
    void enqueue_run_lengths(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &values,
                             size_t values_offset, gp_dtype index_dtype, DeviceBuffer &lengths, size_t lengths_offset,
                             DeviceBuffer &count, size_t count_offset, const gp_run_lengths_options *options = nullptr,
                             Event *event = nullptr) {
        check(gp_enqueue_run_lengths(handle_, dtype, n, in.get(), in_offset, values.get(), values_offset, index_dtype,
                                     lengths.get(), lengths_offset, count.get(), count_offset, options, 0, nullptr,
                                     Slot(event)));
    }
    void enqueue_reduce_by_key(gp_dtype key_dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, gp_dtype dtype,
                               DeviceBuffer &values, size_t values_offset, DeviceBuffer &out_keys,
                               size_t out_keys_offset, DeviceBuffer &out_values, size_t out_values_offset,
                               DeviceBuffer &count, size_t count_offset,
                               const gp_reduce_by_key_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_reduce_by_key(handle_, key_dtype, n, keys.get(), keys_offset, dtype, values.get(),
                                       values_offset, out_keys.get(), out_keys_offset, out_values.get(),
                                       out_values_offset, count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_scan_by_key(gp_dtype key_dtype, size_t n, DeviceBuffer &keys, size_t keys_offset, gp_dtype dtype,
                             DeviceBuffer &values, size_t values_offset, DeviceBuffer &out, size_t out_offset,
                             const gp_scan_by_key_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_scan_by_key(handle_, key_dtype, n, keys.get(), keys_offset, dtype, values.get(), values_offset,
                                     out.get(), out_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_repeat(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, gp_dtype index_dtype,
                        DeviceBuffer &repeats, size_t repeats_offset, size_t capacity, DeviceBuffer &out,
                        size_t out_offset, DeviceBuffer &count, size_t count_offset,
                        const gp_repeat_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_repeat(handle_, gp_dtype_size(dtype), n, in.get(), in_offset, index_dtype, repeats.get(),
                                repeats_offset, capacity, out.get(), out_offset, count.get(), count_offset, options, 0,
                                nullptr, Slot(event)));
    }
    void enqueue_unique(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &values,
                        size_t values_offset, gp_dtype index_dtype, DeviceBuffer &firsts, size_t firsts_offset,
                        DeviceBuffer &inverse, size_t inverse_offset, DeviceBuffer &counts, size_t counts_offset,
                        DeviceBuffer &count, size_t count_offset, const gp_unique_options *options = nullptr,
                        Event *event = nullptr) {
        check(gp_enqueue_unique(handle_, dtype, n, in.get(), in_offset, values.get(), values_offset, index_dtype,
                                firsts.get(), firsts_offset, inverse.get(), inverse_offset, counts.get(), counts_offset,
                                count.get(), count_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_paths(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, size_t ld_in, DeviceBuffer &out,
                       size_t out_offset, size_t ld_out, const gp_paths_options *options = nullptr,
                       Event *event = nullptr) {
        check(gp_enqueue_paths(handle_, dtype, n, in.get(), in_offset, ld_in, out.get(), out_offset, ld_out, nullptr, 0,
                               n, options, 0, nullptr, Slot(event)));
    }
    void enqueue_paths_predecessors(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, size_t ld_in,
                                    DeviceBuffer &out, size_t out_offset, size_t ld_out, DeviceBuffer &predecessors,
                                    size_t predecessors_offset, size_t ld_predecessors,
                                    const gp_paths_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_paths(handle_, dtype, n, in.get(), in_offset, ld_in, out.get(), out_offset, ld_out,
                               predecessors.get(), predecessors_offset, ld_predecessors, options, 0, nullptr,
                               Slot(event)));
    }
    void enqueue_matmul(gp_dtype dtype, size_t m, size_t n, size_t k, DeviceBuffer &a, size_t a_offset, size_t lda,
                        DeviceBuffer &b, size_t b_offset, size_t ldb, DeviceBuffer &c, size_t c_offset, size_t ldc,
                        const gp_matmul_options *options = nullptr, Event *event = nullptr) {
        gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
        if (options != nullptr) o = *options;
        const auto factor = [&](const void *held) { return Factor(dtype, o.c_dtype, held); };
        const Factor alpha = factor(o.alpha), beta = factor(o.beta), low = factor(o.clamp_low),
                     high = factor(o.clamp_high);
        o.alpha = alpha.get(), o.beta = beta.get(), o.clamp_low = low.get(), o.clamp_high = high.get();
        check(gp_enqueue_matmul(handle_, dtype, m, n, k, a.get(), a_offset, lda, b.get(), b_offset, ldb, c.get(),
                                c_offset, ldc, &o, 0, nullptr, Slot(event)));
    }
    void enqueue_histogram(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, size_t bins,
                           DeviceBuffer &counts, size_t counts_offset, const gp_histogram_options *options = nullptr,
                           Event *event = nullptr) {
        check(gp_enqueue_histogram(handle_, dtype, n, in.get(), in_offset, bins, counts.get(), counts_offset, options,
                                   0, nullptr, Slot(event)));
    }
    void enqueue_histogram_weighted(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, gp_dtype weight_dtype,
                                    DeviceBuffer &weights, size_t weights_offset, size_t bins, DeviceBuffer &sums,
                                    size_t sums_offset, const gp_histogram_weighted_options *options = nullptr,
                                    Event *event = nullptr) {
        check(gp_enqueue_histogram_weighted(handle_, dtype, n, in.get(), in_offset, weight_dtype, weights.get(),
                                            weights_offset, bins, sums.get(), sums_offset, options, 0, nullptr,
                                            Slot(event)));
    }
    void enqueue_histogram_2d(gp_dtype dtype, size_t n, DeviceBuffer &x, size_t x_offset, DeviceBuffer &y,
                              size_t y_offset, size_t bins_x, size_t bins_y, DeviceBuffer &counts, size_t counts_offset,
                              const gp_histogram_2d_options *options = nullptr, Event *event = nullptr) {
        check(gp_enqueue_histogram_2d(handle_, dtype, n, x.get(), x_offset, y.get(), y_offset, 0, nullptr, 0, bins_x,
                                      bins_y, counts.get(), counts_offset, options, 0, nullptr, Slot(event)));
    }
    void enqueue_recurrence(gp_dtype dtype, size_t n, DeviceBuffer &in, size_t in_offset, DeviceBuffer &out,
                            size_t out_offset, In &coefficients, In &initial,
                            const gp_recurrence_options *options = nullptr, Event *event = nullptr) {
        gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
        if (options != nullptr) o = *options;
        const size_t order = coefficients.count_of(dtype);
        o.initial = state(dtype, initial, (o.batch > 1 ? o.batch : 1) * order);
        check(gp_enqueue_recurrence(handle_, dtype, n, in.get(), in_offset, out.get(), out_offset, order,
                                    coefficients.elements(dtype), &o, 0, nullptr, Slot(event)));
    }
    void enqueue_recurrence_varying(gp_dtype dtype, size_t n, DeviceBuffer &coefficients, size_t coefficients_offset,
                                    DeviceBuffer &in, size_t in_offset, DeviceBuffer &out, size_t out_offset,
                                    In &initial, const gp_recurrence_options *options = nullptr,
                                    Event *event = nullptr) {
        gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
        if (options != nullptr) o = *options;
        o.initial = state(dtype, initial, o.batch > 1 ? o.batch : 1);
        check(gp_enqueue_recurrence_varying(handle_, dtype, n, coefficients.get(), coefficients_offset, in.get(),
                                            in_offset, out.get(), out_offset, &o, 0, nullptr, Slot(event)));
    }

  private:
    friend class DeviceBuffer;
    friend class Kernel;

    template <class Result> void multiply(gp_dtype dtype, size_t m, size_t n, size_t k, In &a, In &b,
                                          const gp_matmul_options *options, Event *event, Result c) {
        Call<gp_matmul_options> call(GP_MATMUL_OPTIONS_INIT, options, event);
        gp_matmul_options &o = call.options;
        const auto factor = [&](const void *held) { return Factor(dtype, o.c_dtype, held); };
        const Factor alpha = factor(o.alpha), beta = factor(o.beta), low = factor(o.clamp_low),
                     high = factor(o.clamp_high);
        o.alpha = alpha.get(), o.beta = beta.get(), o.clamp_low = low.get(), o.clamp_high = high.get();
        const size_t more = o.batch > 1 ? o.batch - 1 : 0;
        const auto leading = [&](size_t rows, size_t columns, gp_transpose transpose) {
            return (o.layout == GP_COLUMN_MAJOR) != (transpose == GP_TRANSPOSE) ? rows : columns;
        };
        a.require(dtype, m * k + more * o.stride_a, "a");
        b.require(dtype, k * n + more * o.stride_b, "b");
        check(gp_matmul(handle_, dtype, m, n, k, a.elements(dtype), leading(m, k, o.transpose_a), b.elements(dtype),
                        leading(k, n, o.transpose_b), c(o.c_dtype != 0 ? o.c_dtype : dtype, m * n + more * o.stride_c),
                        leading(m, n, o.transpose_c), &o));
    }
    template <class Function> void recur(gp_dtype dtype, In &in, In &initial, size_t order, Out &out,
                                         const gp_recurrence_options *options, Event *event, Function call_with) {
        Call<gp_recurrence_options> call(GP_RECURRENCE_OPTIONS_INIT, options, event);
        gp_recurrence_options &o = call.options;
        const size_t rows = o.batch > 1 ? o.batch : 1, count = in.count_of(dtype), before = (rows - 1) * o.stride_in;
        if (before > count)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   "in has " + std::to_string(count) + " elements, its last row begins at " + std::to_string(before));
        const size_t n = o.stride_in != 0 ? count - before : count / rows;
        o.initial = state(dtype, initial, rows * order);
        const size_t results = (rows - 1) * (o.stride_out != 0 ? o.stride_out : n) + n;
        check(call_with(n, out.elements(dtype, results, in.is_list()), o));
    }
    template <class Function> size_t keep(Function function, gp_dtype dtype, In &in, In &flags, Out &out,
                                          const gp_select_options *options, Event *event) {
        Call<gp_select_options> call(GP_SELECT_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype);
        uint64_t count = 0;
        check(function(handle_, gp_dtype_size(dtype), n, in.elements(dtype), flags_of(n, flags, call.options),
                       out.elements(dtype, n, in.is_list()), &count, &call.options));
        return static_cast<size_t>(count);
    }
    template <class Function> size_t keep_pairs(Function function, gp_dtype dtype, In &in, In &flags, Out &out,
                                                gp_dtype value_dtype, In &values, Out &out_values,
                                                const gp_select_options *options, Event *event) {
        Call<gp_select_options> call(GP_SELECT_OPTIONS_INIT, options, event);
        const size_t n = in.count_of(dtype);
        if (values.count_of(value_dtype) != n) refuse(GP_ERROR_OUT_OF_BOUNDS, "expected as many values as elements");
        uint64_t count = 0;
        check(function(handle_, gp_dtype_size(dtype), n, in.elements(dtype), flags_of(n, flags, call.options),
                       out.elements(dtype, n, in.is_list()), gp_dtype_size(value_dtype), values.elements(value_dtype),
                       out_values.elements(value_dtype, n, values.is_list()), &count, &call.options));
        return static_cast<size_t>(count);
    }
    // None where a text says what is kept.
    static const uint8_t *flags_of(size_t n, In &flags, const gp_select_options &options) {
        if (options.predicate != nullptr) return nullptr;
        if (flags.count_of(GP_UINT8) != n) refuse(GP_ERROR_OUT_OF_BOUNDS, "expected as many flags as elements");
        return static_cast<const uint8_t *>(flags.elements(GP_UINT8));
    }
    // Elements in a row of a batch; on host memory the rows follow each other.
    template <class Options> static size_t row(size_t count, const Options &o) {
        if (o.stride_in != 0 || o.stride_out != 0 || o.step_in > 1)
            refuse(GP_ERROR_OPTION, "strides and steps are for buffers");
        return row_of(count, o.batch);
    }
    static size_t row(size_t count, const gp_sort_options &o) {
        if (o.stride != 0 || o.step > 1) refuse(GP_ERROR_OPTION, "strides and steps are for buffers");
        return row_of(count, o.batch);
    }
    // There is one offset more than runs.
    static size_t runs_of(In &offsets) {
        const size_t count = offsets.count_of(GP_UINT64);
        if (count == 0) refuse(GP_ERROR_OPTION, "offsets is empty; expected one offset more than there are runs");
        return count - 1;
    }
    // How many rows of so many elements there are.
    static size_t rows_of(size_t count, size_t row) {
        if (count % row != 0)
            refuse(GP_ERROR_OPTION, std::to_string(count) + " elements are no multiple of options->row, which is " +
                                        std::to_string(row));
        return count / row;
    }
    static size_t row_of(size_t count, size_t batch) {
        const size_t rows = batch > 1 ? batch : 1;
        if (count % rows != 0)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   std::to_string(count) + " elements are no " + std::to_string(rows) + " rows");
        return count / rows;
    }
    static const void *state(gp_dtype dtype, In &initial, size_t count) {
        if (initial.count_of(dtype) == 0) return nullptr;
        initial.require(dtype, count, "initial");
        return initial.elements(dtype);
    }
    gp_context *handle_ = nullptr;
};

inline DeviceBuffer::DeviceBuffer(Context &context, size_t bytes) {
    gp_buffer *made = nullptr;
    check(gp_buffer_create(context.handle_, bytes, &made));
    handle_.reset(made, gp_buffer_free);
}

// The arguments of a launch, in the kernel's order.
class Arguments {
  public:
    void add_buffer(DeviceBuffer &buffer) { arguments_.push_back({{buffer.get(), nullptr, 0}, false, {}}); }
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

    // Over x * y * z work-items, in work-groups of local_x * local_y * local_z; with local_x = 0 of
    // the device's choice.
    void enqueue(const Arguments &arguments, size_t x, size_t y = 1, size_t z = 1, size_t local_x = 0,
                 size_t local_y = 1, size_t local_z = 1, Event *event = nullptr) {
        const std::vector<gp_argument> list = arguments.get();
        const size_t global[] = {x, y, z}, local[] = {local_x, local_y, local_z};
        check(gp_enqueue_kernel(handle_, 3, global, local_x != 0 ? local : nullptr, list.size(), list.data(), 0,
                                nullptr, Slot(event)));
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
