// What the parts of the target "operations" share: arrays between guards, options made of bytes,
// and calls on "host" that keep the promises of gpcl.h about failures.
// SPDX-License-Identifier: MIT
#pragma once

#include "fuzz/fuzz.h"
#include "reference/half.h"

#include "core/dtype.h"

#include <gpcl/gpcl.h>

#include <array>
#include <memory>
#include <vector>

namespace fuzz {

using Size = unsigned __int128; // of what a call asks for, which may be more than a size_t holds

gp_context *host();

// Calls f with a value of a type's elements.
template <class F> decltype(auto) typed(gp_dtype dtype, F &&f) {
    return dtype == GP_FLOAT16 ? f(reference::half{}) : gpcl::with_type(dtype, f);
}

// Memory that ends at a page that can't be touched, and begins behind bytes that must stay. So it
// tells of accesses beside it without a sanitizer too.
class Room {
  public:
    explicit Room(size_t bytes);
    Room(const Room &) = delete;
    Room &operator=(const Room &) = delete;
    ~Room();
    unsigned char *get() const { return begin_; }

  private:
    unsigned char *pages_, *begin_;
    size_t bytes_; // of all pages
};

class Array {
  public:
    Array(gp_dtype dtype, size_t n)
        : dtype_(dtype), n_(n), element_(std::max<size_t>(gp_dtype_size(dtype), 1)), bytes_(n * element_) {}
    Array(const Array &other) : Array(other.dtype_, other.n_) { *this = other; }
    Array &operator=(const Array &other) { // of the same size
        if (n_ > 0) std::memcpy(data(), other.data(), n_ * element_);
        return *this;
    }
    ~Array() = default;

    gp_dtype dtype() const { return dtype_; }
    size_t size() const { return n_; }
    unsigned char *data() { return bytes_.get(); }
    const unsigned char *data() const { return bytes_.get(); }
    unsigned char *element(size_t i, size_t size) {
        require((i + 1) * size <= n_ * element_, "an oracle stays within its array");
        return data() + i * size;
    }

    template <class T> T at(size_t i) const { // of the array's own type, or one that holds it
        return typed(dtype_, [&](auto zero) {
            require(i < n_, "an oracle stays within its array");
            std::memcpy(&zero, data() + i * sizeof zero, sizeof zero);
            if constexpr (std::is_same_v<decltype(zero), T>)
                return zero;
            else if constexpr (std::is_same_v<T, reference::half>)
                return reference::half{};
            else if constexpr (std::is_same_v<decltype(zero), reference::half>)
                return static_cast<T>(reference::to_double(zero));
            else
                return static_cast<T>(zero);
        });
    }
    template <class T> void put(size_t i, T value) { std::memcpy(element(i, sizeof value), &value, sizeof value); }
    // Element i becomes element j of another array; both have so many bytes.
    void copy(size_t i, const Array &from, size_t j, size_t size) {
        std::memcpy(element(i, size), from.data() + j * size, size);
    }
    template <class T> std::vector<T> vector() const {
        std::vector<T> result;
        for (size_t i = 0; i < n_; ++i) result.push_back(at<T>(i));
        return result;
    }

    bool operator==(const Array &other) const {
        return n_ == other.n_ && (n_ == 0 || std::memcmp(data(), other.data(), n_ * element_) == 0);
    }
    bool equals(const Array &other) const; // as numbers: -0 is 0

  private:
    gp_dtype dtype_;
    size_t n_, element_;
    Room bytes_;
};

// Thrown where a call wants memory that is not here, but might be elsewhere, or an oracle would
// take too long.
struct Skip {};
constexpr size_t kMostRows = 1 << 16;

// Where the elements of rows lie; members that are 0 mean what options mean by that.
struct Rows {
    size_t n, batch, stride, step;

    Rows(size_t n, size_t batch, size_t stride, size_t step, Size row = 0)
        : n(n), batch(batch == 0 ? 1 : batch), stride(stride), step(step == 0 ? 1 : step) {
        if (n == 0 && batch > kMostRows) throw Skip{};
        if (stride == 0) this->stride = static_cast<size_t>(row != 0 ? row : Size{n} * this->step);
    }
    Size extent() const { return n == 0 ? 0 : Size{batch - 1} * stride + Size{n - 1} * step + 1; }
    size_t at(size_t row, size_t i) const { return row * stride + i * step; }
};

class Case : public Input {
  public:
    using Input::Input;

    // Mostly small; sometimes any number.
    size_t size() {
        const size_t one = take();
        return one < 0xe0 ? one % 40 : one < 0xfe ? take<uint16_t>() % 2000 : take<size_t>();
    }
    gp_dtype dtype() {
        const int one = take();
        return one < 0xf8 ? 1 + one % 12 : one - 0xfc;
    }

    // Mostly one of some types that fit, sometimes any.
    gp_dtype dtype(std::initializer_list<gp_dtype> usual) {
        const size_t one = take();
        return one < 0xf0 ? usual.begin()[one % usual.size()] : dtype();
    }
    gp_dtype index() { return dtype({GP_UINT32, GP_UINT64}); }
    gp_dtype sums() { return dtype({GP_INT32, GP_UINT32, GP_INT64, GP_UINT64, GP_FLOAT32, GP_FLOAT64}); }

    // Elements with values that few bytes of the input say; `calm`: floats whose sums and products
    // are exact.
    Array array(gp_dtype dtype, Size n, bool calm = false);
    Array bytes(size_t element_size, Size n) { return array(GP_UINT8, n * element_size); }
    // Ascending offsets of n elements, or nearly.
    Array offsets(gp_dtype dtype, size_t count, size_t n);

    // From here on the call can't succeed.
    void impossible() { is_impossible_ = true; }

    // A name of one of the operation's algorithms, an unknown one, or NULL.
    const char *algorithm(gp_operation operation);
    gp_event **event() { return flag() ? &event_ : nullptr; }

    // Makes the call. After a refusal the outputs are as they were. Returns whether it succeeded.
    template <class F> bool call(const char *name, std::vector<Array *> outputs, F &&f) {
        before_.clear();
        for (const Array *one : outputs) before_.push_back(*one);
        const gp_status status = f();
        check(name, status, outputs);
        return status == GP_SUCCESS;
    }
    const Array &before(size_t output) const { return before_.at(output); }

  private:
    void check(const char *name, gp_status status, const std::vector<Array *> &outputs);

    gp_event *event_ = nullptr;
    bool is_impossible_ = false; // such as an array larger than any memory
    std::vector<Array> before_;
    std::string name_;
};

// An options structure: some of its words are set to numbers of the input.
template <class T> class Options {
  public:
    explicit Options(Case &from) : memory_(new unsigned char[kMost]()) {
        get()->struct_size = sizeof(T);
        for (size_t count = from.below(8); count > 0; --count) {
            const size_t word = from.below(sizeof(T) / sizeof(uint32_t) + 2);
            const uint8_t small = from.take();
            const uint32_t value = small < 0xf0 ? small % 16 : from.take<uint32_t>();
            std::memcpy(&memory_[word * sizeof value], &value, sizeof value);
        }
        get()->struct_size &= ~(sizeof(void *) - 1); // as every compiler's sizeof; no pointer is cut
    }
    T *get() { return reinterpret_cast<T *>(memory_.get()); }
    T *operator->() { return get(); }
    // As the library reads it.
    T seen() {
        T result{};
        std::memcpy(&result, get(), std::min(get()->struct_size, sizeof(T)));
        return result;
    }

  private:
    static constexpr size_t kMost = 4096;
    std::unique_ptr<unsigned char[]> memory_;
};

inline void same(const Array &result, const Array &expected, const char *what) { require(result == expected, what); }
inline void equal(const Array &result, const Array &expected, const char *what) {
    require(result.equals(expected), what);
}

// The operations, a function each.
using Operation = void (*)(Case &);
void scan(Case &), reduce(Case &), arg_reduce(Case &), difference(Case &), is_sorted(Case &), top_k(Case &);
void sort(Case &), search(Case &), merge(Case &), merge_runs(Case &), unique(Case &);
void run_lengths(Case &), reduce_by_key(Case &), scan_by_key(Case &);
void select(Case &), nonzero(Case &), gather(Case &), transpose(Case &), repeat(Case &);
void histogram(Case &), histogram_2d(Case &), histogram_weighted(Case &);
void matmul(Case &), paths(Case &), recurrence(Case &), recurrence_varying(Case &), texts(Case &);

} // namespace fuzz
