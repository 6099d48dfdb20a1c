// How data crosses from a language to gpcl and back. A language's language.i fills In and InOut
// from what it was given, and turns Out and InOut into what it returns.
//
// Languages with memory of their own (Python, Java, C#) lend it: results are written where the
// caller says. Languages with values (Lua, Ruby, Perl, Tcl) pass packed strings or lists of
// numbers; the result is a new value of the same sort.
//
// SPDX-License-Identifier: MIT
#pragma once
#include <gpcl/gpcl.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace gpcl_swig {

// A failure on its way to the language's own errors.
struct Failure {
    gp_status status;
    std::string message, build_log;
};

inline void check(gp_status status) {
    if (status != GP_SUCCESS) throw Failure{status, gp_error_message(), gp_error_build_log()};
}

[[noreturn]] inline void refuse(gp_status status, const std::string &message) { throw Failure{status, message, ""}; }

// Whether n elements from `offset` on lie within that many bytes; returns the size of one.
inline size_t within(gp_dtype dtype, size_t n, size_t offset, size_t bytes) {
    const size_t size = gp_dtype_size(dtype), end = offset + n;
    if (size == 0) refuse(GP_ERROR_DTYPE, std::to_string(dtype) + " is no element type");
    if (end < n || end > bytes / size)
        refuse(GP_ERROR_OUT_OF_BOUNDS, "there are " + std::to_string(bytes) + " bytes, elements " +
                                           std::to_string(offset) + " to " + std::to_string(end) +
                                           " are not among them");
    return size;
}

// An element of a list: exact for every integer type and for floating point.
struct Number {
    bool is_real = false;
    double real = 0;
    std::int64_t integer = 0;

    template <class T> T as() const { return is_real ? static_cast<T>(real) : static_cast<T>(integer); }
};

// Calls f with a zero of the element type.
template <class F> void with_type(gp_dtype dtype, F f) {
    switch (dtype) {
    case GP_INT8: return f(std::int8_t{});
    case GP_INT16: return f(std::int16_t{});
    case GP_INT32: return f(std::int32_t{});
    case GP_INT64: return f(std::int64_t{});
    case GP_UINT8: return f(std::uint8_t{});
    case GP_UINT16: return f(std::uint16_t{});
    case GP_UINT32: return f(std::uint32_t{});
    case GP_UINT64: return f(std::uint64_t{});
    case GP_FLOAT32: return f(float{});
    case GP_FLOAT64: return f(double{});
    default:
        refuse(GP_ERROR_DTYPE,
               "a list of numbers can't be " + std::string(gp_dtype_name(dtype)) + "; pass packed data");
    }
}

class Data {
  public:
    // What the language's code calls.
    void borrow(const void *data, size_t bytes) { // memory that outlives the call, used where it lies
        data_ = static_cast<char *>(const_cast<void *>(data));
        bytes_ = bytes;
        lent_ = true;
    }
    void reserve(size_t count) { // a list of that many numbers comes
        is_list_ = true;
        numbers_.reserve(count);
    }
    void add_integer(std::int64_t value) { numbers_.push_back({false, 0, value}); }
    void add_real(double value) { numbers_.push_back({true, value, 0}); }

    bool is_list() const { return is_list_; }
    bool is_lent() const { return lent_; }
    const char *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    size_t count() const { return bytes_ / gp_dtype_size(dtype_); }
    bool is_unsigned() const { return dtype_ >= GP_UINT8 && dtype_ <= GP_UINT64; }
    Number number(size_t index) const {
        Number result;
        with_type(dtype_, [&](auto value) {
            std::memcpy(&value, data_ + index * sizeof value, sizeof value);
            result.is_real = dtype_ >= GP_FLOAT16;
            if (result.is_real)
                result.real = static_cast<double>(value);
            else
                result.integer = static_cast<std::int64_t>(value);
        });
        return result;
    }

    // What the classes call.
    size_t count_of(gp_dtype dtype) const {
        if (is_list_) return numbers_.size();
        const size_t size = gp_dtype_size(dtype);
        if (size == 0) refuse(GP_ERROR_DTYPE, std::to_string(dtype) + " is no element type");
        if (bytes_ % size != 0)
            refuse(GP_ERROR_OPTION,
                   std::to_string(bytes_) + " bytes are not a whole number of " + gp_dtype_name(dtype));
        return bytes_ / size;
    }

    void require(gp_dtype dtype, size_t count, const char *name) const {
        if (count_of(dtype) < count)
            refuse(GP_ERROR_OUT_OF_BOUNDS, std::string(name) + " needs " + std::to_string(count) + " elements, has " +
                                               std::to_string(count_of(dtype)));
    }

  protected:
    void own(size_t bytes) {
        try {
            storage_.resize(bytes / sizeof(std::uint64_t) + 1); // aligned for every type
        } catch (const std::exception &) {
            refuse(GP_ERROR_HOST_MEMORY, "no memory for " + std::to_string(bytes) + " bytes");
        }
        data_ = reinterpret_cast<char *>(storage_.data());
        bytes_ = bytes;
        lent_ = false;
    }
    void own_copy() {
        const char *source = data_;
        own(bytes_);
        if (bytes_ != 0) std::memcpy(data_, source, bytes_);
    }
    void pack(gp_dtype dtype) { // the list's numbers as elements
        dtype_ = dtype;
        if (!is_list_) return;
        with_type(dtype, [&](auto value) {
            own(numbers_.size() * sizeof value);
            for (size_t i = 0; i < numbers_.size(); ++i) {
                value = numbers_[i].as<decltype(value)>();
                std::memcpy(data_ + i * sizeof value, &value, sizeof value);
            }
        });
    }

    gp_dtype dtype_ = GP_UINT8;
    bool lent_ = false, is_list_ = false;
    char *data_ = nullptr;
    size_t bytes_ = 0;
    std::vector<std::uint64_t> storage_;
    std::vector<Number> numbers_;
};

// What an operation reads.
class In : public Data {
  public:
    const void *elements(gp_dtype dtype) {
        pack(dtype);
        const size_t size = gp_dtype_size(dtype); // packed strings may lie anywhere
        if (size != 0 && reinterpret_cast<std::uintptr_t>(data_) % size != 0) own_copy();
        return data_;
    }
};

// What an operation writes: the caller's memory, of just the right size, or a new value like
// `model`.
class Out : public Data {
  public:
    void *elements(gp_dtype dtype, size_t count, bool as_list) {
        dtype_ = dtype;
        const size_t size = gp_dtype_size(dtype), bytes = count * size;
        if (size != 0 && count > SIZE_MAX / size)
            refuse(GP_ERROR_SIZE_OVERFLOW, "a result of " + std::to_string(count) + " elements");
        if (lent_ && bytes_ != bytes)
            refuse(GP_ERROR_OUT_OF_BOUNDS,
                   "the result is " + std::to_string(bytes) + " bytes, its memory has " + std::to_string(bytes_));
        if (!lent_) {
            own(bytes);
            is_list_ = as_list;
        }
        return data_;
    }
};

// What an operation changes: the caller's memory, or a changed copy of a value.
class InOut : public Data {
  public:
    void detach() { // a value of the language's that must stay as it is
        if (!is_list_) own_copy();
    }
    void *elements(gp_dtype dtype) {
        pack(dtype);
        return data_;
    }
};

} // namespace gpcl_swig
