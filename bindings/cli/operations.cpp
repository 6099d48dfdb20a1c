// gpcl's operations, such as sort, scan and matmul: each one call of the library on .npy files.
// SPDX-License-Identifier: MIT
#include "commands.h"
#include "npy.h"
#include "support.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>

namespace command {

namespace {

// An open device and one call on it, with its times if they are asked for.
class Run {
  public:
    explicit Run(const FileOptions &options) : context_(options.device), time_(options.time) {
        if (time_) context_.profile();
    }

    // `call` takes the context and where to put the event.
    template <typename Call> void operator()(const char *what, Call &&call) {
        {
            const Progress progress(what);
            check(call(static_cast<gp_context *>(context_), time_ ? event_.out() : nullptr));
        }
        if (!time_) return;
        const auto times = event_.times();
        std::fprintf(stderr, "upload %.3f ms, run %.3f ms (%zu kernels), download %.3f ms on %s\n", times.upload,
                     times.run, times.kernels, times.download, device_name(context_.info()).c_str());
    }

    gp_context *context() const { return context_; }
    // An OpenCL device whose OpenCL C has no elements of type half.
    bool lacks_half() const {
        const auto info = context_.info();
        return info.kind != GP_DEVICE_HOST && info.has_float16 == 0;
    }

  private:
    Context context_;
    bool time_;
    Event event_;
};

Array read_vector(const std::string &path, const char *operation) {
    auto array = read_npy(path);
    if (array.shape.size() != 1)
        throw Failure(path + ": has shape " + array.shape_text() + "; " + operation + " takes arrays of one dimension");
    return array;
}

// The keys of sorts, and how their rows or segments lie.
struct Keys : Array {
    size_t n = 0, batch = 1, stride = 0, step = 0; // as gp_sort and gp_sort_options take them
    std::vector<uint64_t> offsets = {};            // of segments; none: no segments
};

// One more than there are segments.
std::vector<uint64_t> read_offsets(const std::string &path) {
    const auto array = read_vector(path, "--segments");
    std::vector<uint64_t> offsets;
    const auto take = [&](auto type) {
        using T = decltype(type);
        for (size_t i = 0; i < array.size(); ++i) {
            T offset;
            std::memcpy(&offset, array.data.data() + i * sizeof offset, sizeof offset);
            offsets.push_back(static_cast<uint64_t>(offset));
        }
    };
    switch (array.dtype) {
    case GP_INT8: take(int8_t()); break;
    case GP_INT16: take(int16_t()); break;
    case GP_INT32: take(int32_t()); break;
    case GP_INT64: take(int64_t()); break;
    case GP_UINT8: take(uint8_t()); break;
    case GP_UINT16: take(uint16_t()); break;
    case GP_UINT32: take(uint32_t()); break;
    case GP_UINT64: take(uint64_t()); break;
    default: throw Failure(path + ": holds " + gp_dtype_name(array.dtype) + "; --segments takes integers");
    }
    if (offsets.empty()) throw Failure(path + ": is empty; --segments takes one offset more than there are segments");
    return offsets;
}

Keys read_keys(const SortOptions &options, const char *operation) {
    if (!options.axis) {
        Keys keys{read_npy(options.in)};
        if (keys.shape.size() != 1)
            throw Failure(options.in + ": has shape " + keys.shape_text() + "; without --axis, " + operation +
                          " takes arrays of one dimension");
        keys.n = keys.size();
        if (!options.segments.empty()) keys.offsets = read_offsets(options.segments);
        return keys;
    }
    Keys keys{read_npy(options.in)};
    const auto dimensions = static_cast<int>(keys.shape.size());
    const int axis = *options.axis < 0 ? *options.axis + dimensions : *options.axis;
    if (axis < 0 || axis >= dimensions || (axis != 0 && axis != dimensions - 1))
        throw Failure(options.in + ": has shape " + keys.shape_text() + ", and --axis is " +
                      std::to_string(*options.axis) + "; expected the first or the last axis");
    if (keys.fortran_order) throw Failure(options.in + ": is in Fortran order; save it in C order");
    keys.n = keys.shape[static_cast<size_t>(axis)];
    keys.batch = keys.n == 0 ? 1 : keys.size() / keys.n;
    if (keys.batch == 0) keys.n = 0; // no rows
    if (axis == 0 && dimensions > 1) {
        keys.stride = 1;
        keys.step = keys.batch;
    }
    return keys;
}

gp_sort_options sort_options(const SortOptions &options, const Keys &keys, gp_event **event) {
    gp_sort_options result = GP_SORT_OPTIONS_INIT;
    result.order = options.descending ? GP_DESCENDING : GP_ASCENDING;
    result.algorithm = or_null(options.algorithm);
    result.event = event;
    result.batch = keys.batch;
    result.stride = keys.stride;
    result.step = keys.step;
    if (!keys.offsets.empty()) {
        result.segments = keys.offsets.size() - 1;
        result.offsets = keys.offsets.data();
    }
    return result;
}

const char *opencl_name(gp_dtype dtype) {
    switch (dtype) {
    case GP_INT8: return "char";
    case GP_INT16: return "short";
    case GP_INT32: return "int";
    case GP_INT64: return "long";
    case GP_UINT8: return "uchar";
    case GP_UINT16: return "ushort";
    case GP_UINT32: return "uint";
    case GP_UINT64: return "ulong";
    case GP_FLOAT16: return "half";
    case GP_BFLOAT16: return "ushort"; // the bits
    case GP_FLOAT32: return "float";
    default: return "double";
    }
}

// The options of scan and reduce that are the same.
template <typename Result> Result prefix_options(Result result, const PrefixOptions &options, gp_event **event) {
    result.op = options.op;
    result.operator_source = or_null(options.operator_source);
    result.operator_identity = or_null(options.operator_identity);
    result.operator_helpers = or_null(options.operator_helpers);
    result.algorithm = or_null(options.algorithm);
    result.event = event;
    return result;
}

} // namespace

int sort(const SortOptions &options) {
    auto keys = read_keys(options, "sort");
    NpyOutput out(options.out, {options.in, options.values});
    Run run(options);
    if (options.values.empty()) {
        run("sorting", [&](gp_context *context, gp_event **event) {
            const auto o = sort_options(options, keys, event);
            return gp_sort(context, keys.dtype, keys.n, keys.data.data(), &o);
        });
        out.write(keys.dtype, keys.shape, keys.data.data());
        out.commit();
        return 0;
    }

    if (keys.shape.size() != 1)
        throw Failure(options.in + ": has shape " + keys.shape_text() + "; with values, sort takes one dimension");
    auto values = read_npy(options.values); // a value is one row, all that the first index selects
    if (values.shape.empty() || values.shape[0] != keys.size())
        throw Failure(options.values + ": has shape " + values.shape_text() + "; its first dimension should be the " +
                      std::to_string(keys.size()) + " of " + options.in);
    if (values.fortran_order) throw Failure(options.values + ": is in Fortran order; save it in C order");
    auto value_size = gp_dtype_size(values.dtype);
    for (size_t i = 1; i < values.shape.size(); ++i) value_size *= values.shape[i];
    NpyOutput values_out(options.values_out, {options.in, options.values, options.out});
    if (out.target() == values_out.target())
        throw Failure(options.out + ": is asked for as the output of both keys and values");
    run("sorting", [&](gp_context *context, gp_event **event) {
        const auto o = sort_options(options, keys, event);
        return gp_sort_pairs(context, keys.dtype, keys.n, keys.data.data(), value_size, values.data.data(), &o);
    });
    out.write(keys.dtype, keys.shape, keys.data.data());
    values_out.write(values.dtype, values.shape, values.data.data());
    out.commit();
    values_out.commit();
    return 0;
}

int argsort(const SortOptions &options) {
    const auto keys = read_keys(options, "argsort");
    NpyOutput out(options.out, {options.in});
    Run run(options);
    std::vector<std::byte> indices(keys.size() * gp_dtype_size(options.index));
    run("sorting", [&](gp_context *context, gp_event **event) {
        const auto o = sort_options(options, keys, event);
        return gp_argsort(context, keys.dtype, keys.n, keys.data.data(), options.index, indices.data(), &o);
    });
    out.write(options.index, keys.shape, indices.data());
    out.commit();
    return 0;
}

int sort_by(const SortByOptions &options) {
    auto array = read_npy(options.in);
    if (array.shape.empty()) throw Failure(options.in + ": is one number; sort-by takes an array");
    if (array.fortran_order && array.shape.size() > 1)
        throw Failure(options.in + ": is in Fortran order; save it in C order");
    NpyOutput out(options.out, {options.in});
    Run run(options);
    if (array.dtype == GP_FLOAT16 && run.lacks_half())
        throw Failure(options.in + ": holds float16, and the device has no arithmetic of it; save it as float32");
    // An element is what the first index selects: a number, or a structure with the member `at`.
    std::string type = opencl_name(array.dtype), helpers = options.helpers;
    size_t size = gp_dtype_size(array.dtype);
    if (array.shape.size() > 1) {
        std::string declaration = "typedef struct { " + type + " at";
        for (size_t i = 1; i < array.shape.size(); ++i) {
            size *= array.shape[i];
            declaration.append("[").append(std::to_string(array.shape[i])).append("]");
        }
        type = "gp_element";
        helpers = declaration + "; } gp_element;\n" + helpers;
    }
    run("sorting", [&](gp_context *context, gp_event **event) {
        gp_sort_by_options o = GP_SORT_BY_OPTIONS_INIT;
        o.helpers = or_null(helpers);
        o.event = event;
        return gp_sort_by(context, size, array.shape[0], array.data.data(), type.c_str(), options.comes_before.c_str(),
                          &o);
    });
    out.write(array.dtype, array.shape, array.data.data());
    out.commit();
    return 0;
}

int merge(const MergeOptions &options) {
    const std::vector<std::string> in(options.files.begin(), options.files.end() - 1);
    std::vector<Array> arrays;
    for (const std::string &path : in) {
        arrays.push_back(read_vector(path, "merge"));
        if (arrays.back().dtype != arrays[0].dtype)
            throw Failure(path + ": holds " + gp_dtype_name(arrays.back().dtype) + "; expected " +
                          gp_dtype_name(arrays[0].dtype) + ", as in " + in[0]);
    }
    const gp_dtype dtype = arrays[0].dtype;
    const gp_order order = options.descending ? GP_DESCENDING : GP_ASCENDING;
    NpyOutput out(options.files.back(), in);
    Run run(options);
    std::vector<std::byte> keys; // one file's behind the other's
    std::vector<uint64_t> offsets = {0};
    for (Array &array : arrays) { // of others, what is written would be no order at all
        gp_is_sorted_options o = GP_IS_SORTED_OPTIONS_INIT;
        o.order = order;
        uint64_t position = 0;
        check(gp_is_sorted(run.context(), dtype, array.size(), array.data.data(), &position, &o));
        if (position != array.size())
            throw Failure(array.path + ": is not sorted" + (options.descending ? " from large to small" : "") +
                          ": element " + std::to_string(position) + " is out of order");
        offsets.push_back(offsets.back() + array.size());
        keys.insert(keys.end(), array.data.begin(), array.data.end());
        array.data = {};
    }
    std::vector<std::byte> merged(keys.size());
    const size_t n = offsets.back();
    run("merging", [&](gp_context *context, gp_event **event) {
        if (in.size() > 2) {
            gp_merge_runs_options o = GP_MERGE_RUNS_OPTIONS_INIT;
            o.order = order;
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            return gp_merge_runs(context, dtype, n, keys.data(), in.size(), offsets.data(), merged.data(), &o);
        }
        gp_merge_options o = GP_MERGE_OPTIONS_INIT;
        o.order = order;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        const size_t of_a = offsets[1];
        return gp_merge(context, dtype, of_a, keys.data(), n - of_a, keys.data() + of_a * gp_dtype_size(dtype),
                        merged.data(), &o);
    });
    out.write(dtype, {n}, merged.data());
    out.commit();
    return 0;
}

namespace {

template <typename T> std::vector<T> numbers(const char *option, const std::string &text) {
    std::vector<T> values;
    for (size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find(',', at), text.size());
        T value{};
        const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
        if (error != std::errc() || stop != text.data() + end)
            throw Failure(std::string(option) + ": '" + text + "' is not a list of numbers such as 0.5,0.25");
        values.push_back(value);
        at = end + 1;
    }
    return values;
}

bool is_file(const std::string &text) { return text.ends_with(".npy"); }

// What was there before: `count` elements, of any shape.
std::vector<std::byte> read_before(const std::string &path, gp_dtype dtype, size_t count) {
    auto array = read_npy(path);
    if (array.dtype != dtype || array.size() != count || array.fortran_order)
        throw Failure(path + ": holds " + gp_dtype_name(array.dtype) + " of shape " + array.shape_text() +
                      "; expected " + std::to_string(count) + " of " + gp_dtype_name(dtype) + ", in C order");
    return std::move(array.data);
}

// An output that may not be asked for.
class MaybeOutput {
  public:
    MaybeOutput(const std::string &path, const std::vector<std::string> &inputs, const NpyOutput &other) {
        if (path.empty()) return;
        out_.emplace(path, inputs);
        if (out_->target() == other.target()) throw Failure(path + ": is asked for as two outputs");
    }
    explicit operator bool() const { return out_.has_value(); }
    void write(gp_dtype dtype, const std::vector<size_t> &shape, const void *data) {
        if (out_) out_->write(dtype, shape, data);
    }
    void commit() {
        if (out_) out_->commit();
    }

  private:
    std::optional<NpyOutput> out_;
};

// What comes before: a number, or a file with one.
void read_initial(const PrefixOptions &options, gp_dtype dtype, std::byte *to) {
    const size_t size = gp_dtype_size(dtype);
    if (is_file(options.initial)) {
        std::memcpy(to, read_before(options.initial, dtype, 1).data(), size);
    } else if (!options.initial.empty() && dtype != GP_FLOAT16) {
        with_type(dtype, [&](auto type) {
            const auto values = numbers<typename decltype(type)::type>("--initial", options.initial);
            if (values.size() != 1) throw Failure("--initial: '" + options.initial + "' is not one number");
            std::memcpy(to, values.data(), size);
        });
    }
}

} // namespace

int scan(const PrefixOptions &options) {
    auto array = read_vector(options.in, "scan");
    alignas(8) std::byte carry[8] = {};
    read_initial(options, array.dtype, carry);
    NpyOutput out(options.out, {options.in});
    MaybeOutput last(options.last, {options.in}, out);
    Run run(options);
    run("scanning", [&](gp_context *context, gp_event **event) {
        auto o = prefix_options<gp_scan_options>(GP_SCAN_OPTIONS_INIT, options, event);
        o.kind = options.exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
        o.direction = options.reverse ? GP_REVERSE : GP_FORWARD;
        o.initial = options.initial.empty() ? nullptr : carry;
        o.final_value = last ? carry : nullptr;
        return gp_scan(context, array.dtype, array.size(), array.data.data(), array.data.data(), &o);
    });
    out.write(array.dtype, array.shape, array.data.data());
    last.write(array.dtype, {}, carry);
    out.commit();
    last.commit();
    return 0;
}

int reduce(const PrefixOptions &options) {
    const auto array = read_vector(options.in, "reduce");
    Run run(options);
    alignas(8) std::byte result[8] = {};
    const auto work = [&] {
        run("reducing", [&](gp_context *context, gp_event **event) {
            auto o = prefix_options<gp_reduce_options>(GP_REDUCE_OPTIONS_INIT, options, event);
            o.accumulate = options.accumulate ? 1 : 0;
            return gp_reduce(context, array.dtype, array.size(), array.data.data(), result, &o);
        });
    };
    if (!options.out.empty()) {
        if (options.accumulate)
            std::memcpy(result, read_before(options.out, array.dtype, 1).data(), gp_dtype_size(array.dtype));
        NpyOutput out(options.out, {options.in});
        work();
        out.write(array.dtype, {}, result);
        out.commit();
        return 0;
    }
    work();
    std::printf("%s\n", element_text(array.dtype, result).c_str());
    return 0;
}

int arg_reduce(const ArgReduceOptions &options) {
    const auto array = read_vector(options.in, "arg-reduce");
    Run run(options);
    uint64_t position = 0;
    alignas(8) std::byte element[8] = {};
    const auto work = [&] {
        run("searching", [&](gp_context *context, gp_event **event) {
            gp_arg_reduce_options o = GP_ARG_REDUCE_OPTIONS_INIT;
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            return gp_arg_reduce(context, options.op, array.dtype, array.size(), array.data.data(), GP_UINT64,
                                 &position, element, &o);
        });
    };
    if (!options.out.empty()) {
        NpyOutput out(options.out, {options.in});
        work();
        out.write(GP_UINT64, {}, &position);
        out.commit();
        return 0;
    }
    work();
    std::printf("%llu %s\n", static_cast<unsigned long long>(position), element_text(array.dtype, element).c_str());
    return 0;
}

int top_k(const TopKOptions &options) {
    const auto array = read_vector(options.in, "top-k");
    const size_t size = gp_dtype_size(array.dtype);
    const size_t asked = options.k != 0 ? options.k : std::min(size_t{10}, array.size());
    // The call tells what is wrong with a larger k.
    const size_t k = std::min(asked, array.size());
    std::vector<uint64_t> positions(k);
    std::vector<uint64_t> elements((k * size + 7) / 8);
    Run run(options);
    const auto work = [&] {
        run("searching", [&](gp_context *context, gp_event **event) {
            gp_top_k_options o = GP_TOP_K_OPTIONS_INIT;
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            return gp_top_k(context, options.smallest ? GP_ASCENDING : GP_DESCENDING, array.dtype, array.size(),
                            array.data.data(), asked, GP_UINT64, positions.data(), elements.data(), &o);
        });
    };
    std::optional<NpyOutput> out, values;
    if (!options.out.empty()) out.emplace(options.out, std::vector<std::string>{options.in});
    if (!options.values.empty()) values.emplace(options.values, std::vector<std::string>{options.in, options.out});
    if (out && values && out->target() == values->target())
        throw Failure(options.out + ": is asked for as the output of both places and elements");
    work();
    if (out) out->write(GP_UINT64, {k}, positions.data());
    if (values) values->write(array.dtype, {k}, elements.data());
    if (out) out->commit();
    if (values) values->commit();
    if (out || values) return 0;
    for (size_t i = 0; i < k; ++i) {
        const auto *element = reinterpret_cast<const std::byte *>(elements.data()) + i * size;
        std::printf("%llu %s\n", static_cast<unsigned long long>(positions[i]),
                    element_text(array.dtype, element).c_str());
    }
    return 0;
}

int search(const SearchOptions &options) {
    const auto array = read_vector(options.in, "search");
    const auto values = read_npy(options.values);
    if (values.dtype != array.dtype)
        throw Failure(options.values + ": has elements of type " + gp_dtype_name(values.dtype) + "; " + options.in +
                      " of " + gp_dtype_name(array.dtype));
    NpyOutput out(options.out, {options.in, options.values});
    Run run(options);
    std::vector<uint64_t> positions(values.size());
    run("searching", [&](gp_context *context, gp_event **event) {
        gp_search_options o = GP_SEARCH_OPTIONS_INIT;
        o.side = options.side;
        o.order = options.descending ? GP_DESCENDING : GP_ASCENDING;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_search(context, array.dtype, array.size(), array.data.data(), values.size(), values.data.data(),
                         GP_UINT64, positions.data(), &o);
    });
    out.write(GP_UINT64, values.shape, positions.data());
    out.commit();
    return 0;
}

int is_sorted(const IsSortedOptions &options) {
    const auto array = read_vector(options.in, "is-sorted");
    Run run(options);
    uint64_t position = 0;
    run("looking", [&](gp_context *context, gp_event **event) {
        gp_is_sorted_options o = GP_IS_SORTED_OPTIONS_INIT;
        o.order = options.descending ? GP_DESCENDING : GP_ASCENDING;
        o.strict = options.strict ? 1 : 0;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_is_sorted(context, array.dtype, array.size(), array.data.data(), &position, &o);
    });
    if (position == array.size())
        std::printf("sorted\n");
    else
        std::printf("not sorted: element %llu is out of order\n", static_cast<unsigned long long>(position));
    return position == array.size() ? 0 : 1;
}

int transform(const TransformOptions &options) {
    const std::vector<std::string> in(options.files.begin(), options.files.end() - 1);
    constexpr size_t kMost = 8;
    if (in.size() > kMost)
        throw Failure(std::to_string(in.size()) + " arrays are given; transform takes at most " +
                      std::to_string(kMost));
    std::vector<Array> arrays;
    const Array *whole = nullptr; // that has the result's shape
    arrays.reserve(in.size());
    for (const std::string &path : in) arrays.push_back(read_npy(path));
    for (const Array &array : arrays)
        if (whole == nullptr || (whole->size() == 1 && array.shape.size() >= whole->shape.size())) whole = &array;
    gp_transform_options o = GP_TRANSFORM_OPTIONS_INIT;
    std::vector<gp_dtype> dtypes;
    std::vector<const void *> data;
    for (const Array &array : arrays) {
        const bool is_one = array.size() == 1;
        if (!is_one && array.shape != whole->shape)
            throw Failure(array.path + ": has shape " + array.shape_text() + "; expected " + whole->shape_text() +
                          ", as " + whole->path + ", or one element");
        if (!is_one && array.fortran_order != whole->fortran_order)
            throw Failure(array.path + ": is in another order than " + whole->path + "; save both in C order");
        if (is_one && whole->size() != 1) o.broadcast |= uint32_t{1} << dtypes.size();
        dtypes.push_back(array.dtype);
        data.push_back(array.data.data());
    }
    if (whole->fortran_order) throw Failure(whole->path + ": is in Fortran order; save it in C order");
    const gp_dtype dtype = options.dtype != 0 ? options.dtype : arrays[0].dtype;
    NpyOutput out(options.files.back(), in);
    Run run(options);
    std::vector<std::byte> result(whole->size() * gp_dtype_size(dtype));
    run("computing", [&](gp_context *context, gp_event **event) {
        o.helpers = or_null(options.helpers);
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_transform(context, whole->size(), arrays.size(), dtypes.data(), data.data(), dtype, result.data(),
                            options.source.c_str(), &o);
    });
    out.write(dtype, whole->shape, result.data());
    out.commit();
    return 0;
}

int difference(const DifferenceOptions &options) {
    SortOptions rows;
    rows.in = options.in;
    rows.axis = options.axis;
    const auto array = read_keys(rows, "difference");
    NpyOutput out(options.out, {options.in});
    Run run(options);
    auto shape = array.shape;
    size_t &length = shape[array.step == 0 ? shape.size() - 1 : 0];
    if (!options.keep_first && length > 0) --length;
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    std::vector<std::byte> result(count * gp_dtype_size(array.dtype));
    run("subtracting", [&](gp_context *context, gp_event **event) {
        gp_difference_options o = GP_DIFFERENCE_OPTIONS_INIT;
        o.first = options.keep_first ? GP_FIRST_KEPT : GP_FIRST_LEFT_OUT;
        o.operator_source = or_null(options.operator_source);
        o.operator_helpers = or_null(options.operator_helpers);
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        o.batch = array.batch;
        o.stride_in = o.stride_out = array.stride;
        o.step_in = o.step_out = array.step;
        return gp_difference(context, array.dtype, array.n, array.data.data(), result.data(), &o);
    });
    out.write(array.dtype, shape, result.data());
    out.commit();
    return 0;
}

int run_lengths(const RunLengthsOptions &options) {
    const auto array = read_vector(options.in, "run-lengths");
    NpyOutput out(options.out, {options.in}), lengths_out(options.lengths, {options.in, options.out});
    MaybeOutput firsts_out(options.firsts, {options.in, options.out, options.lengths}, out);
    if (out.target() == lengths_out.target())
        throw Failure(options.out + ": is asked for as the output of both values and lengths");
    Run run(options);
    const size_t n = array.size();
    std::vector<uint64_t> values((n * gp_dtype_size(array.dtype) + 7) / 8), lengths(n), firsts(firsts_out ? n : 0);
    uint64_t count = 0;
    run("looking", [&](gp_context *context, gp_event **event) {
        gp_run_lengths_options o = GP_RUN_LENGTHS_OPTIONS_INIT;
        o.firsts = firsts_out ? firsts.data() : nullptr;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_run_lengths(context, array.dtype, n, array.data.data(), values.data(), GP_UINT64, lengths.data(),
                              &count, &o);
    });
    out.write(array.dtype, {count}, values.data());
    lengths_out.write(GP_UINT64, {count}, lengths.data());
    firsts_out.write(GP_UINT64, {count}, firsts.data());
    out.commit();
    lengths_out.commit();
    firsts_out.commit();
    return 0;
}

int unique(const UniqueOptions &options) {
    const auto array = read_vector(options.in, "unique");
    NpyOutput out(options.out, {options.in});
    MaybeOutput counts_out(options.counts, {options.in, options.out}, out);
    MaybeOutput firsts_out(options.firsts, {options.in, options.out, options.counts}, out);
    MaybeOutput inverse_out(options.inverse, {options.in, options.out, options.counts, options.firsts}, out);
    Run run(options);
    const size_t n = array.size();
    std::vector<uint64_t> values((n * gp_dtype_size(array.dtype) + 7) / 8), counts(counts_out ? n : 0),
        firsts(firsts_out ? n : 0), inverse(inverse_out ? n : 0);
    uint64_t count = 0;
    run("looking", [&](gp_context *context, gp_event **event) {
        gp_unique_options o = GP_UNIQUE_OPTIONS_INIT;
        o.sorted = options.sorted ? 1 : 0;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_unique(context, array.dtype, n, array.data.data(), values.data(), GP_UINT64,
                         firsts_out ? firsts.data() : nullptr, inverse_out ? inverse.data() : nullptr,
                         counts_out ? counts.data() : nullptr, &count, &o);
    });
    out.write(array.dtype, {count}, values.data());
    counts_out.write(GP_UINT64, {count}, counts.data());
    firsts_out.write(GP_UINT64, {count}, firsts.data());
    inverse_out.write(GP_UINT64, {n}, inverse.data());
    out.commit();
    counts_out.commit();
    firsts_out.commit();
    inverse_out.commit();
    return 0;
}

int reduce_by_key(const ReduceByKeyOptions &options) {
    const auto keys = read_vector(options.in, "reduce-by-key");
    const auto values = read_vector(options.values, "reduce-by-key");
    if (values.size() != keys.size())
        throw Failure(options.values + ": has " + std::to_string(values.size()) + " elements; " + options.in + " has " +
                      std::to_string(keys.size()));
    NpyOutput keys_out(options.keys_out, {options.in, options.values});
    NpyOutput out(options.out, {options.in, options.values, options.keys_out});
    if (out.target() == keys_out.target())
        throw Failure(options.out + ": is asked for as the output of both keys and results");
    Run run(options);
    const auto room_for = [&](gp_dtype dtype) {
        return std::vector<uint64_t>((keys.size() * gp_dtype_size(dtype) + 7) / 8);
    };
    auto first_keys = room_for(keys.dtype), results = room_for(values.dtype);
    uint64_t count = 0;
    run("reducing", [&](gp_context *context, gp_event **event) {
        auto o = prefix_options<gp_reduce_by_key_options>(GP_REDUCE_BY_KEY_OPTIONS_INIT, options, event);
        o.any_order = options.any_order ? 1 : 0;
        return gp_reduce_by_key(context, keys.dtype, keys.size(), keys.data.data(), values.dtype, values.data.data(),
                                first_keys.data(), results.data(), &count, &o);
    });
    keys_out.write(keys.dtype, {count}, first_keys.data());
    out.write(values.dtype, {count}, results.data());
    keys_out.commit();
    out.commit();
    return 0;
}

int scan_by_key(const ScanByKeyOptions &options) {
    const auto keys = read_vector(options.in, "scan-by-key");
    auto values = read_vector(options.values, "scan-by-key");
    if (values.size() != keys.size())
        throw Failure(options.values + ": has " + std::to_string(values.size()) + " elements; " + options.in + " has " +
                      std::to_string(keys.size()));
    alignas(8) std::byte initial[8] = {};
    read_initial(options, values.dtype, initial);
    NpyOutput out(options.out, {options.in, options.values});
    Run run(options);
    run("scanning", [&](gp_context *context, gp_event **event) {
        auto o = prefix_options<gp_scan_by_key_options>(GP_SCAN_BY_KEY_OPTIONS_INIT, options, event);
        o.kind = options.exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
        o.initial = options.initial.empty() ? nullptr : initial;
        return gp_scan_by_key(context, keys.dtype, keys.size(), keys.data.data(), values.dtype, values.data.data(),
                              values.data.data(), &o);
    });
    out.write(values.dtype, values.shape, values.data.data());
    out.commit();
    return 0;
}

namespace {

// The options of selections and of positions, of elements of a type.
template <class Options> gp_select_options predicate_options(const Options &options, gp_dtype dtype, gp_event **event) {
    gp_select_options o = GP_SELECT_OPTIONS_INIT;
    o.predicate = or_null(options.predicate);
    o.type = o.predicate != nullptr ? opencl_name(dtype) : nullptr;
    o.helpers = or_null(options.helpers);
    o.algorithm = or_null(options.algorithm);
    o.event = event;
    return o;
}

} // namespace

int select_elements(const SelectOptions &options) {
    const char *const name = options.partition ? "partition" : "select";
    if (options.flags.empty() == options.predicate.empty())
        throw Failure("--flags or --predicate is needed, and not both");
    const auto array = read_vector(options.in, name);
    Array flags;
    if (!options.flags.empty()) {
        flags = read_vector(options.flags, name);
        if (flags.dtype != GP_INT8 && flags.dtype != GP_UINT8)
            throw Failure(options.flags + ": holds " + gp_dtype_name(flags.dtype) + "; flags are int8 or uint8");
        if (flags.size() != array.size())
            throw Failure(options.flags + ": has " + std::to_string(flags.size()) + " elements; " + options.in +
                          " has " + std::to_string(array.size()));
    }
    NpyOutput out(options.out, {options.in, options.flags});
    MaybeOutput counts_out(options.counts, {options.in, options.flags}, out);
    Run run(options);
    const size_t n = array.size(), size = gp_dtype_size(array.dtype);
    std::vector<std::byte> result(n * size);
    uint64_t counts[2] = {};
    run(options.partition ? "partitioning" : "selecting", [&](gp_context *context, gp_event **event) {
        auto o = predicate_options(options, array.dtype, event);
        o.parts = options.parts == 3 ? 3 : 0;
        return (options.partition ? gp_partition : gp_select)(
            context, size, n, array.data.data(),
            options.flags.empty() ? nullptr : reinterpret_cast<const uint8_t *>(flags.data.data()), result.data(),
            counts, &o);
    });
    out.write(array.dtype, {options.partition ? n : counts[0]}, result.data());
    counts_out.write(GP_UINT64, {options.parts - 1}, counts);
    out.commit();
    counts_out.commit();
    return 0;
}

int nonzero(const NonzeroOptions &options) {
    const auto array = read_vector(options.in, "nonzero");
    NpyOutput out(options.out, {options.in});
    Run run(options);
    const size_t n = array.size();
    std::vector<uint64_t> positions(n);
    uint64_t count = 0;
    run("looking", [&](gp_context *context, gp_event **event) {
        const auto o = predicate_options(options, array.dtype, event);
        return gp_nonzero(context, array.dtype, n, array.data.data(), GP_UINT64, positions.data(), &count, &o);
    });
    out.write(GP_UINT64, {count}, positions.data());
    out.commit();
    return 0;
}

int repeat(const RepeatOptions &options) {
    const auto array = read_vector(options.in, "repeat"), repeats = read_vector(options.repeats, "repeat");
    if (repeats.size() != array.size())
        throw Failure(options.repeats + ": has " + std::to_string(repeats.size()) + " elements; " + options.in +
                      " has " + std::to_string(array.size()));
    gp_dtype index = repeats.dtype;
    uint64_t total = 0;
    if (index > GP_UINT64)
        throw Failure(options.repeats + ": has elements of type " + gp_dtype_name(index) + "; expected integers");
    with_type(repeats.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_integral_v<T>) {
            const T *each = reinterpret_cast<const T *>(repeats.data.data());
            for (size_t i = 0; i < repeats.size(); ++i) {
                if (each[i] < T(0))
                    throw Failure(options.repeats + ": element " + std::to_string(i) + " is " +
                                  std::to_string(each[i]) + "; expected 0 or more");
                total += static_cast<uint64_t>(each[i]);
            }
            if (std::is_signed_v<T>) index += GP_UINT8 - GP_INT8; // the same bits
        }
    });
    NpyOutput out(options.out, {options.in, options.repeats});
    Run run(options);
    const size_t size = gp_dtype_size(array.dtype);
    std::vector<std::byte> result(total * size);
    uint64_t count = 0;
    run("repeating", [&](gp_context *context, gp_event **event) {
        gp_repeat_options o = GP_REPEAT_OPTIONS_INIT;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        return gp_repeat(context, size, array.size(), array.data.data(), index, repeats.data.data(), total,
                         result.data(), &count, &o);
    });
    out.write(array.dtype, {total}, result.data());
    out.commit();
    return 0;
}

namespace {

// How one operand of the product lies in its file.
struct Matrix {
    Array array;
    bool batched = false; // three dimensions: one matrix for each first index
    size_t batch = 1, rows = 0, columns = 0, stride = 0, leading = 0;
    gp_transpose transpose = GP_NO_TRANSPOSE;
};

// rows and columns are those of op(X).
Matrix read_matrix(const std::string &path, bool transpose) {
    Matrix matrix;
    matrix.array = read_npy(path);
    const auto &shape = matrix.array.shape;
    matrix.batched = shape.size() == 3;
    if (shape.size() != 2 && !matrix.batched)
        throw Failure(path + ": has shape " + matrix.array.shape_text() +
                      "; matmul takes matrices of two dimensions, or batches of them of three");
    matrix.rows = shape[shape.size() - 2];
    matrix.columns = shape[shape.size() - 1];
    if (matrix.batched) {
        if (matrix.array.fortran_order) throw Failure(path + ": is a batch in Fortran order; save it in C order");
        matrix.batch = shape[0];
        matrix.stride = matrix.rows * matrix.columns;
    }
    // A matrix in Fortran order lies there as its transpose does in C order.
    matrix.leading = matrix.array.fortran_order ? matrix.rows : matrix.columns;
    if (transpose) std::swap(matrix.rows, matrix.columns);
    matrix.transpose = transpose != matrix.array.fortran_order ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
    return matrix;
}

// One element of the type that a product is computed in, from the types of its factors and its
// result.
class Scalar {
  public:
    Scalar(const char *name, const std::string &text, gp_dtype factors, gp_dtype result) {
        if (text.empty()) return;
        const bool is_short = factors == GP_INT8 || factors == GP_UINT8;
        const gp_dtype dtype = factors == GP_FLOAT16 || factors == GP_BFLOAT16 ? GP_FLOAT32
                               : is_short || result == GP_INT32                ? GP_INT32
                                                                               : factors;
        const auto parse = [&](auto value) {
            const auto end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error != std::errc() || stop != end)
                throw Failure(std::string(name) + ": '" + text + "' is not a number of type " + gp_dtype_name(dtype));
            std::memcpy(bytes_, &value, sizeof value);
        };
        if (dtype == GP_INT16)
            parse(int16_t{});
        else if (dtype == GP_INT32)
            parse(int32_t{});
        else if (dtype == GP_FLOAT64)
            parse(double{});
        else
            parse(float{});
        given_ = true;
    }
    const void *get() const { return given_ ? bytes_ : nullptr; }

  private:
    alignas(8) std::byte bytes_[8] = {};
    bool given_ = false;
};

std::string dimensions(const Matrix &matrix) {
    return matrix.array.path + " (" + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) +
           (matrix.transpose != (matrix.array.fortran_order ? GP_TRANSPOSE : GP_NO_TRANSPOSE) ? ", transposed)" : ")");
}

void check_same_type(const Array &first, const Array &other) {
    if (first.dtype != other.dtype)
        throw Failure(other.path + ": holds " + gp_dtype_name(other.dtype) + ", " + first.path + " holds " +
                      gp_dtype_name(first.dtype) + "; they must be the same");
}

} // namespace

int matmul(const MatmulOptions &options) {
    const auto a = read_matrix(options.in, options.transpose_a);
    const auto b = read_matrix(options.b, options.transpose_b);
    check_same_type(a.array, b.array);
    if (a.columns != b.rows)
        throw Failure("the columns of " + dimensions(a) + " are not as many as the rows of " + dimensions(b));
    if (a.batched && b.batched && a.batch != b.batch)
        throw Failure(options.in + " holds " + std::to_string(a.batch) + " matrices, " + options.b + " " +
                      std::to_string(b.batch));

    Array c;
    c.dtype = options.dtype != 0 ? options.dtype : a.array.dtype;
    c.path = "the result";
    c.shape = {a.rows, b.columns};
    const auto batch = a.batched ? a.batch : b.batch;
    if (a.batched || b.batched) c.shape.insert(c.shape.begin(), batch);
    if (options.c.empty()) {
        c.data.resize(c.size() * gp_dtype_size(c.dtype));
    } else {
        auto old = read_npy(options.c);
        check_same_type(c, old);
        if (old.shape != c.shape)
            throw Failure(options.c + ": has shape " + old.shape_text() + ", the product has " + c.shape_text());
        if (old.fortran_order) throw Failure(options.c + ": is in Fortran order; save it in C order");
        c.data = std::move(old.data);
    }
    const gp_dtype factors = a.array.dtype;
    const Scalar alpha("--alpha", options.alpha, factors, c.dtype), beta("--beta", options.beta, factors, c.dtype);
    const Scalar low("--low", options.low, factors, c.dtype), high("--high", options.high, factors, c.dtype);
    Array bias;
    if (!options.bias.empty()) {
        bias = read_npy(options.bias);
        check_same_type(c, bias);
        const size_t count = options.bias_by == GP_BIAS_BY_ROW ? a.rows : b.columns;
        if (bias.size() != count)
            throw Failure(options.bias + ": has shape " + bias.shape_text() + "; expected " + std::to_string(count) +
                          " numbers, one for each " + (options.bias_by == GP_BIAS_BY_ROW ? "row" : "column"));
    }

    NpyOutput out(options.out, {options.in, options.b, options.c, options.bias});
    Run run(options);
    if (batch > 0) {
        run("multiplying", [&](gp_context *context, gp_event **event) {
            gp_matmul_options o = GP_MATMUL_OPTIONS_INIT;
            o.transpose_a = a.transpose;
            o.transpose_b = b.transpose;
            o.semiring = options.semiring;
            o.precision = options.precision;
            o.c_dtype = c.dtype;
            o.alpha = alpha.get();
            o.beta = beta.get();
            o.batch = batch;
            o.stride_a = a.stride;
            o.stride_b = b.stride;
            o.stride_c = a.rows * b.columns;
            if (!options.bias.empty()) {
                o.bias = bias.data.data();
                o.bias_by = options.bias_by;
            }
            o.activation = low.get() != nullptr || high.get() != nullptr ? GP_CLAMP : options.activation;
            o.clamp_low = low.get();
            o.clamp_high = high.get();
            o.finish_source = or_null(options.finish);
            o.plus_source = or_null(options.plus);
            o.times_source = or_null(options.times);
            o.zero_source = or_null(options.zero);
            o.one_source = or_null(options.one);
            o.helpers = or_null(options.helpers);
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            // A leading dimension is at least 1, also where a matrix has no columns.
            const auto at_least_one = [](size_t n) { return n ? n : 1; };
            return gp_matmul(context, factors, a.rows, b.columns, a.columns, a.array.data.data(),
                             at_least_one(a.leading), b.array.data.data(), at_least_one(b.leading), c.data.data(),
                             at_least_one(b.columns), &o);
        });
    }
    out.write(c.dtype, c.shape, c.data.data());
    out.commit();
    return 0;
}

int gather(const GatherOptions &options) {
    const auto array = read_npy(options.in), positions = read_npy(options.positions);
    if (array.shape.empty()) throw Failure(options.in + ": has no dimension; gather takes one at least");
    if (array.fortran_order) throw Failure(options.in + ": is in Fortran order; save it in C order");
    if (positions.fortran_order) throw Failure(options.positions + ": is in Fortran order; save it in C order");
    const size_t n = array.shape[0];
    size_t row = 1;
    for (size_t i = 1; i < array.shape.size(); ++i) row *= array.shape[i];
    std::vector<size_t> shape = positions.shape;
    shape.insert(shape.end(), array.shape.begin() + 1, array.shape.end());
    NpyOutput out(options.out, {options.in, options.positions});
    Run run(options);
    const size_t size = gp_dtype_size(array.dtype);
    std::vector<std::byte> gathered(positions.size() * row * size);
    if (row > 0)
        run("gathering", [&](gp_context *context, gp_event **event) {
            gp_gather_options o = GP_GATHER_OPTIONS_INIT;
            o.row = row;
            o.from_end = options.from_end ? 1 : 0;
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            return gp_gather(context, size, n, array.data.data(), positions.dtype, positions.size(),
                             positions.data.data(), gathered.data(), &o);
        });
    out.write(array.dtype, shape, gathered.data());
    out.commit();
    return 0;
}

int transpose(const TransposeOptions &options) {
    const auto array = read_npy(options.in);
    if (array.shape.size() < 2)
        throw Failure(options.in + ": has shape " + array.shape_text() + "; transpose takes two dimensions at least");
    if (array.fortran_order) throw Failure(options.in + ": is in Fortran order; save it in C order");
    std::vector<size_t> shape = array.shape;
    std::swap(shape.end()[-1], shape.end()[-2]);
    const size_t rows = shape.end()[-1], columns = shape.end()[-2];
    NpyOutput out(options.out, {options.in});
    Run run(options);
    std::vector<std::byte> turned(array.data.size());
    if (array.size() > 0)
        run("transposing", [&](gp_context *context, gp_event **event) {
            gp_transpose_matrix_options o = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
            o.batch = array.size() / (rows * columns);
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            return gp_transpose_matrix(context, gp_dtype_size(array.dtype), rows, columns, array.data.data(), columns,
                                       turned.data(), rows, &o);
        });
    out.write(array.dtype, shape, turned.data());
    out.commit();
    return 0;
}

int paths(const PathsOptions &options) {
    auto matrix = read_npy(options.in);
    if (matrix.shape.size() != 2 || matrix.shape[0] != matrix.shape[1])
        throw Failure(options.in + ": has shape " + matrix.shape_text() + "; paths takes a square matrix");
    if (matrix.fortran_order) throw Failure(options.in + ": is in Fortran order; save it in C order");
    const size_t n = matrix.shape[0];
    NpyOutput out(options.out, {options.in});
    std::optional<NpyOutput> nodes_out;
    if (!options.predecessors.empty()) {
        nodes_out.emplace(options.predecessors, std::vector<std::string>{options.in, options.out});
        if (out.target() == nodes_out->target())
            throw Failure(options.out + ": is asked for as the output of both lengths and predecessors");
    }
    std::vector<int32_t> nodes(nodes_out ? n * n : 0);
    Run run(options);
    uint64_t negative = 0;
    run("looking for paths", [&](gp_context *context, gp_event **event) {
        gp_paths_options o = GP_PATHS_OPTIONS_INIT;
        o.algorithm = or_null(options.algorithm);
        o.event = event;
        o.negative_cycle = &negative;
        return gp_paths(context, matrix.dtype, n, matrix.data.data(), n, matrix.data.data(), n,
                        nodes_out ? nodes.data() : nullptr, n, &o);
    });
    if (negative != 0) throw Failure(options.in + ": has a cycle of negative length, so there are no shortest paths");
    out.write(matrix.dtype, matrix.shape, matrix.data.data());
    if (nodes_out) nodes_out->write(GP_INT32, matrix.shape, nodes.data());
    out.commit();
    if (nodes_out) nodes_out->commit();
    return 0;
}

namespace {

// What was said of bins: edges, or where even ones begin and end.
struct GivenBins {
    std::vector<double> edges;
    double lower = 0, upper = 0;

    GivenBins(const std::string &edges_name, const std::string &edges_text, const std::string &range_name,
              const std::string &range_text) {
        if (!edges_text.empty()) {
            edges = numbers<double>(edges_name.c_str(), edges_text);
            if (edges.size() < 2)
                throw Failure(edges_name + ": '" + edges_text + "' is not two numbers or more, such as 0,1,10");
        } else if (!range_text.empty()) {
            const auto range = numbers<double>(range_name.c_str(), range_text);
            if (range.size() != 2) throw Failure(range_name + ": '" + range_text + "' is not two numbers such as 0,1");
            lower = range[0];
            upper = range[1];
        }
    }
    const double *edges_or_null() const { return edges.empty() ? nullptr : edges.data(); }
};

// An array of as many elements, which stand in the same order.
Array read_beside(const std::string &path, const Array &first) {
    auto array = read_npy(path);
    if (array.shape != first.shape || (array.fortran_order != first.fortran_order && array.shape.size() > 1))
        throw Failure(path + ": has shape " + array.shape_text() + ", " + first.path + " has " + first.shape_text() +
                      "; they must be the same, in the same order");
    return array;
}

Array read_weights(const std::string &path, const Array &first) {
    auto weights = read_beside(path, first);
    if (weights.dtype != GP_FLOAT32 && weights.dtype != GP_FLOAT64)
        throw Failure(path + ": holds " + gp_dtype_name(weights.dtype) + "; weights are float32 or float64");
    return weights;
}

// A sum as it is printed.
std::string shown(gp_dtype dtype, const std::byte *at) {
    char text[40];
    if (dtype == GP_UINT64) {
        uint64_t count = 0;
        std::memcpy(&count, at, sizeof count);
        return std::to_string(count);
    }
    double sum = 0;
    float single = 0;
    std::memcpy(&single, at, sizeof single);
    if (dtype == GP_FLOAT64) std::memcpy(&sum, at, sizeof sum);
    std::snprintf(text, sizeof text, "%.*g", dtype == GP_FLOAT64 ? 17 : 9,
                  dtype == GP_FLOAT64 ? sum : static_cast<double>(single));
    return text;
}

// Writes or prints the sums of a histogram; of these only what is not 0.
void put_sums(const FileOptions &options, const std::vector<std::string> &inputs, gp_dtype dtype,
              const std::vector<size_t> &shape, const std::vector<std::byte> &sums, const std::function<void()> &work) {
    if (!options.out.empty()) {
        NpyOutput out(options.out, inputs);
        work();
        out.write(dtype, shape, sums.data());
        out.commit();
        return;
    }
    work();
    const size_t size = gp_dtype_size(dtype), columns = shape.back();
    const std::vector<std::byte> zero(size);
    for (size_t cell = 0; cell * size < sums.size(); ++cell) {
        const std::byte *at = sums.data() + cell * size;
        if (std::equal(zero.begin(), zero.end(), at)) continue;
        if (shape.size() > 1) std::printf("%3zu ", cell / columns);
        std::printf("%3zu %s\n", cell % columns, shown(dtype, at).c_str());
    }
}

} // namespace

int histogram_2d(const Histogram2dOptions &options) {
    const auto x = read_npy(options.in), y = read_beside(options.y, x);
    check_same_type(x, y);
    const GivenBins of_x("--edges-x", options.edges_x, "--range-x", options.range_x);
    const GivenBins of_y("--edges-y", options.edges_y, "--range-y", options.range_y);
    gp_histogram_2d_options o = GP_HISTOGRAM_2D_OPTIONS_INIT;
    size_t bins_x = of_x.edges.size(), bins_y = of_y.edges.size();
    if (!options.bins.empty()) {
        const auto bins = numbers<size_t>("--bins", options.bins);
        if (bins.size() != 2) throw Failure("--bins: '" + options.bins + "' is not two sizes such as 10,20");
        bins_x = bins[0];
        bins_y = bins[1];
    } else { // of both, as main.cpp sees to
        --bins_x;
        --bins_y;
    }
    o.edges_x = of_x.edges_or_null();
    o.edges_y = of_y.edges_or_null();
    o.lower_x = of_x.lower;
    o.upper_x = of_x.upper;
    o.lower_y = of_y.lower;
    o.upper_y = of_y.upper;
    o.algorithm = or_null(options.algorithm);
    std::vector<std::string> inputs = {options.in, options.y};
    Array weights;
    const bool weighted = !options.weights.empty();
    if (weighted) {
        weights = read_weights(options.weights, x);
        inputs.push_back(options.weights);
    }
    const gp_dtype dtype = weighted ? weights.dtype : gp_dtype{GP_UINT64};
    if (bins_x != 0 && bins_y > (size_t{1} << 24) / bins_x) // as the library would say, before memory is taken
        throw Failure("--bins: " + std::to_string(bins_x) + " * " + std::to_string(bins_y) + " is more than 2^24");
    std::vector<std::byte> sums(bins_x * bins_y * gp_dtype_size(dtype));
    Run run(options);
    put_sums(options, inputs, dtype, {bins_x, bins_y}, sums, [&] {
        run("counting", [&](gp_context *context, gp_event **event) {
            o.event = event;
            return gp_histogram_2d(context, x.dtype, x.size(), x.data.data(), y.data.data(),
                                   weighted ? weights.dtype : 0, weighted ? weights.data.data() : nullptr, bins_x,
                                   bins_y, sums.data(), &o);
        });
    });
    return 0;
}

namespace {

// With weights: `o` and `bins` are as for counts.
int weighted_histogram(const HistogramOptions &options, const Array &array, const gp_histogram_options &o,
                       size_t bins) {
    const auto weights = read_weights(options.weights, array);
    std::vector<std::byte> sums(bins * gp_dtype_size(weights.dtype));
    gp_histogram_weighted_options w = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    w.algorithm = or_null(options.algorithm);
    w.lower = o.lower;
    w.upper = o.upper;
    w.edges = o.edges;
    Run run(options);
    put_sums(options, {options.in, options.weights}, weights.dtype, {bins}, sums, [&] {
        run("adding up", [&](gp_context *context, gp_event **event) {
            w.event = event;
            return gp_histogram_weighted(context, array.dtype, array.size(), array.data.data(), weights.dtype,
                                         weights.data.data(), bins, sums.data(), &w);
        });
    });
    return 0;
}

} // namespace

int histogram(const HistogramOptions &options) {
    const auto array = read_npy(options.in); // the order of the elements does not matter
    gp_histogram_options o = GP_HISTOGRAM_OPTIONS_INIT;
    size_t bins = options.bins;
    const GivenBins given("--edges", options.edges, "--range", options.range);
    if (!given.edges.empty()) {
        bins = given.edges.size() - 1;
        o.edges = given.edges.data();
    } else if (!options.range.empty()) {
        o.lower = given.lower;
        o.upper = given.upper;
    } else if (array.dtype >= GP_FLOAT16) {
        throw Failure(
            options.in + ": holds " + gp_dtype_name(array.dtype) +
            ", which --bins alone would count as whole numbers; give --range as well, such as 0,1, or --edges");
    } else if (bins == 0 && array.dtype != GP_UINT8) {
        throw Failure(options.in + ": holds " + gp_dtype_name(array.dtype) + ", which needs --bins or --edges");
    }
    if (bins == 0) bins = 256;
    if (!options.weights.empty()) return weighted_histogram(options, array, o, bins);
    std::vector<uint64_t> counts(bins);
    Run run(options);
    const auto work = [&] {
        run("counting", [&](gp_context *context, gp_event **event) {
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            o.accumulate = options.accumulate ? 1 : 0;
            return gp_histogram(context, array.dtype, array.size(), array.data.data(), bins, counts.data(), &o);
        });
    };
    if (!options.out.empty()) {
        if (options.accumulate)
            std::memcpy(counts.data(), read_before(options.out, GP_UINT64, bins).data(), bins * sizeof counts[0]);
        NpyOutput out(options.out, {options.in});
        work();
        out.write(GP_UINT64, {bins}, counts.data());
        out.commit();
        return 0;
    }
    work();
    for (size_t bin = 0; bin < bins; ++bin)
        if (counts[bin] > 0) std::printf("%3zu %llu\n", bin, static_cast<unsigned long long>(counts[bin]));
    return 0;
}

int recurrence(const RecurrenceOptions &options) {
    auto array = read_npy(options.in);
    if (array.shape.empty() || array.shape.size() > 2)
        throw Failure(options.in + ": has shape " + array.shape_text() +
                      "; recurrence takes arrays of one dimension, or rows of two");
    if (array.fortran_order) throw Failure(options.in + ": is in Fortran order; save it in C order");
    if (array.dtype != GP_FLOAT32 && array.dtype != GP_FLOAT64)
        throw Failure(options.in + ": holds " + gp_dtype_name(array.dtype) + "; recurrence takes float32 and float64");
    const size_t rows = array.shape.size() == 2 ? array.shape[0] : 1;
    Array varying;
    if (!options.varying.empty()) {
        varying = read_npy(options.varying);
        const bool one_row = varying.shape.size() == 1 && varying.shape[0] == array.shape.back();
        if (varying.dtype != array.dtype || varying.fortran_order || !(one_row || varying.shape == array.shape))
            throw Failure(options.varying + ": holds " + gp_dtype_name(varying.dtype) + " of shape " +
                          varying.shape_text() + "; expected " + gp_dtype_name(array.dtype) + " of shape " +
                          array.shape_text() + ", in C order, or of one row");
    }
    NpyOutput out(options.out, {options.in, options.varying});
    MaybeOutput last(options.last, {options.in, options.varying}, out);
    Run run(options);
    const auto work = [&](auto number) {
        using T = decltype(number);
        const bool varies = !options.varying.empty();
        const auto c = varies ? std::vector<T>(1) : numbers<T>("--coefficients", options.coefficients);
        std::vector<T> state(rows * c.size()); // in, and out
        if (is_file(options.initial)) {
            const auto bytes = read_before(options.initial, array.dtype, state.size());
            if (!bytes.empty()) std::memcpy(state.data(), bytes.data(), bytes.size());
        } else if (!options.initial.empty()) { // the same for each row
            const auto one = numbers<T>("--initial", options.initial);
            if (one.size() != c.size())
                throw Failure("--initial: '" + options.initial + "' has " + std::to_string(one.size()) +
                              " numbers, --coefficients " + (varies ? "that vary 1" : std::to_string(c.size())));
            for (size_t i = 0; i < state.size(); ++i) state[i] = one[i % one.size()];
        }
        const auto write_state = [&] {
            auto shape = array.shape;
            shape.back() = c.size();
            last.write(array.dtype, shape, state.data());
        };
        if (rows == 0) return write_state();
        run("running", [&](gp_context *context, gp_event **event) {
            gp_recurrence_options o = GP_RECURRENCE_OPTIONS_INIT;
            o.batch = rows;
            o.initial = options.initial.empty() ? nullptr : state.data();
            o.final_state = last ? state.data() : nullptr;
            o.direction = options.reverse ? GP_REVERSE : GP_FORWARD;
            o.algorithm = or_null(options.algorithm);
            o.event = event;
            o.share_coefficients = varies && varying.shape != array.shape ? 1 : 0;
            if (varies)
                return gp_recurrence_varying(context, array.dtype, array.shape.back(), varying.data.data(),
                                             array.data.data(), array.data.data(), &o);
            return gp_recurrence(context, array.dtype, array.shape.back(), array.data.data(), array.data.data(),
                                 c.size(), c.data(), &o);
        });
        write_state();
    };
    array.dtype == GP_FLOAT32 ? work(float{}) : work(double{});
    out.write(array.dtype, array.shape, array.data.data());
    out.commit();
    last.commit();
    return 0;
}

} // namespace command
