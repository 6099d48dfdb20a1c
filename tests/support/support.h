// What every test shares: the context of the device under test, size limits, guarded memory,
// checks.
// SPDX-License-Identifier: MIT
#pragma once

#include "manifest.h"

#include <gpcl/gpcl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

// The device under test, opened once for the process: GPCL_DEVICE names it, as for any program.
gp_context *context();
const gp_device_info &device();
inline bool on_host() { return device().kind == GP_DEVICE_HOST; }

// The largest problem to try; GPCL_TEST_MAX_N lowers it for slow implementations such as Oclgrind.
size_t max_n();

// 0, 1, 2, 33, every power of two from 64 to 4096 and its neighbours, primes, 2^20 + 1: those that
// max_n() allows. Where is_brief(), a few of them.
std::vector<size_t> sizes();

// As many elements as the device's caches do not hold, at so many bytes each, as far as a test can
// take them; no round number.
size_t past_caches(size_t bytes);

// Are as many as that to be tried? Not where GPCL_TEST_MAX_N bounds sizes; with GPCL_TEST_TYPES=all
// that of 20000 does not count, which is for arrays in pieces of a few elements: seconds each.
bool takes_past_caches();

// NULL, the default, and with `named` every algorithm that is listed for this class of device;
// where kernels are interpreted (max_n() is 100 at most) one of them, another each time; where
// spares_programs() one in a test case and another in the next; on rusticl none unless thorough().
// A named one may refuse a request; refused() knows which.
std::vector<const char *> algorithms(gp_operation operation, bool named = true);

// True where every combination is to be tried: on the host, which builds no programs, and with
// GPCL_TEST_THOROUGH=1. A program takes PoCL a second or more, so elsewhere the tests choose
// combinations that cover each value of each option.
bool thorough();

// True in the tests of a type that is neither int32 nor float32, on an OpenCL CPU, unless
// thorough(): each program takes such a device seconds, and those of one type differ little from
// those of another.
bool is_of_other_type();

// True on an OpenCL CPU, unless thorough() or with GPCL_TEST_LONG=1: of choices that make programs
// of their own, tests take some.
bool spares_programs();

// The same, but false with GPCL_TEST_TYPES=all: long sweeps, and the steps of the ladder, which run
// by name only, are for int32 and float32.
bool is_brief();

// GPCL_TEST_TYPES=all: is nothing to be left out for being slow?
bool all_types();

// GPCL_TEST_SHORT=1 on an OpenCL CPU: suites of types other than int32 and float32 are left out.
bool is_short();

// Choices of options: all of them where thorough(), else a covering array of pairs
// (support/pairwise.h).
std::vector<std::vector<size_t>> combinations_of(const std::vector<size_t> &counts);

// Is the environment's variable "1"?
bool asked_for(const char *variable);

// n elements between two canaries, at an address that is only as aligned as T is. check() fails the
// test when a canary was overwritten.
template <class T> class Guarded {
  public:
    explicit Guarded(size_t n) : n_(n), bytes_(n * sizeof(T) + 2 * kGuard + sizeof(T), kCanary) {}
    explicit Guarded(const std::vector<T> &values) : Guarded(values.size()) {
        if (n_ > 0) std::memcpy(bytes_.data() + start(), values.data(), n_ * sizeof(T));
    }
    T *data() { return reinterpret_cast<T *>(bytes_.data() + start()); }
    size_t size() const { return n_; }
    T &operator[](size_t i) { return data()[i]; }
    std::vector<T> values() { return std::vector<T>(data(), data() + n_); }
    bool intact() const {
        const auto canary = [](unsigned char byte) { return byte == kCanary; };
        const auto first = bytes_.begin();
        const auto end = first + static_cast<std::ptrdiff_t>(start() + n_ * sizeof(T));
        return std::all_of(first, first + static_cast<std::ptrdiff_t>(start()), canary) &&
               std::all_of(end, bytes_.end(), canary);
    }
    // True when not even the payload was written (for refused calls).
    bool untouched() const {
        return std::all_of(bytes_.begin(), bytes_.end(), [](unsigned char byte) { return byte == kCanary; });
    }

  private:
    static constexpr size_t kGuard = 256;
    static constexpr unsigned char kCanary = 0xa5;
    // One element past the vector's own (16-byte) alignment, so that wide aligned accesses would be
    // caught.
    static constexpr size_t start() { return kGuard + sizeof(T); }
    size_t n_;
    std::vector<unsigned char> bytes_;
};

// A buffer of n elements that starts `offset` elements into its memory, with canaries before and
// behind.
template <class T> class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<T> &values, size_t offset = 3) : n_(values.size()), offset_(offset) {
        std::vector<unsigned char> bytes((n_ + 2 * offset_) * sizeof(T), 0xa5);
        if (n_ > 0) std::memcpy(bytes.data() + offset_ * sizeof(T), values.data(), n_ * sizeof(T));
        EXPECT_EQ(GP_SUCCESS, gp_buffer_create(context(), bytes.size(), &buffer_)) << gp_error_message();
        EXPECT_EQ(GP_SUCCESS, gp_buffer_write(buffer_, 0, bytes.size(), bytes.data())) << gp_error_message();
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    ~DeviceArray() { gp_buffer_free(buffer_); }
    gp_buffer *buffer() const { return buffer_; }
    size_t offset() const { return offset_; }
    // The elements; fails the test when a canary was overwritten.
    std::vector<T> values() const {
        std::vector<unsigned char> bytes((n_ + 2 * offset_) * sizeof(T));
        EXPECT_EQ(GP_SUCCESS, gp_buffer_read(buffer_, 0, bytes.size(), bytes.data())) << gp_error_message();
        for (size_t i = 0; i < offset_ * sizeof(T); ++i) {
            EXPECT_EQ(0xa5, bytes[i]) << "canary before the array, byte " << i;
            EXPECT_EQ(0xa5, bytes[bytes.size() - 1 - i]) << "canary behind the array, byte " << i;
        }
        std::vector<T> result(n_);
        if (n_ > 0) std::memcpy(result.data(), bytes.data() + offset_ * sizeof(T), n_ * sizeof(T));
        return result;
    }

  private:
    size_t n_;
    size_t offset_;
    gp_buffer *buffer_ = nullptr;
};

template <class T> constexpr gp_dtype dtype() {
    if constexpr (std::is_same_v<T, float>)
        return GP_FLOAT32;
    else if constexpr (std::is_same_v<T, double>)
        return GP_FLOAT64;
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 1 ? GP_INT8 : sizeof(T) == 2 ? GP_INT16 : sizeof(T) == 4 ? GP_INT32 : GP_INT64;
    else
        return sizeof(T) == 1 ? GP_UINT8 : sizeof(T) == 2 ? GP_UINT16 : sizeof(T) == 4 ? GP_UINT32 : GP_UINT64;
}

// The device can't compute this type at all (float64 without cl_khr_fp64); such tests skip, and say
// so.
inline bool lacks(gp_dtype dtype) { return dtype == GP_FLOAT64 && device().has_float64 == 0; }

} // namespace test

// Fails the test with the library's own words when a call does not succeed.
#define ASSERT_OK(call) ASSERT_EQ(GP_SUCCESS, (call)) << gp_error_message() << "\n" << gp_error_build_log()
#define EXPECT_OK(call) EXPECT_EQ(GP_SUCCESS, (call)) << gp_error_message() << "\n" << gp_error_build_log()
