// What the subcommands share: failures, handles that free themselves, times, types, progress.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace command {

// Ends a subcommand with exit status 1; what() goes to stderr. `status` is the library's, 0 if it
// had no part in it.
struct Failure : std::runtime_error {
    explicit Failure(const std::string &message, gp_status code = GP_SUCCESS)
        : std::runtime_error(message), status(code) {}
    gp_status status;
};

// Throws the library's message, with the whole build log where there is one.
void check(gp_status status);

class Context {
  public:
    explicit Context(const std::string &selector);
    operator gp_context *() const { return handle_.get(); }
    gp_device_info info() const;
    void profile() const { check(gp_profile(*this, 1)); }

  private:
    struct Close {
        void operator()(gp_context *context) const { gp_close(context); }
    };
    std::unique_ptr<gp_context, Close> handle_;
};

// "name [selector]", for people.
std::string device_name(const gp_device_info &info);

class Buffer {
  public:
    Buffer(gp_context *context, size_t bytes);
    operator gp_buffer *() const { return handle_.get(); }

  private:
    struct Free {
        void operator()(gp_buffer *buffer) const { gp_buffer_free(buffer); }
    };
    std::unique_ptr<gp_buffer, Free> handle_;
};

struct Times {
    double upload = 0, run = 0, download = 0, wall = 0; // milliseconds
    size_t kernels = 0;
    Times &operator+=(const Times &other);
};

class Event {
  public:
    Event() = default;
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;
    ~Event() { gp_event_free(event_); }
    gp_event **out() { return &event_; }
    gp_event *get() const { return event_; }
    Times times() const; // all but wall; needs Context::profile

  private:
    gp_event *event_ = nullptr;
};

class Stopwatch {
  public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One line on stderr while something takes its time: what goes on and for how many seconds the
// command has run. It comes once that is a second, and is rubbed out at the end. Silent unless
// stderr is a terminal that can rub out. Clear it before anything is printed.
class Progress {
  public:
    Progress() = default;
    explicit Progress(const std::string &text) { show(text); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    ~Progress() { clear(); }
    void show(const std::string &text);
    void show_part(const std::string &text, size_t done, size_t all); // "text, 40 %"
    void clear();
    static void end(); // clears whichever is shown, for good
};

// Prints to stdout or stderr, with lines broken at spaces where that is a terminal.
void print_wrapped(std::FILE *file, const std::string &text);

// The file that an output named `path` replaces or makes, as an absolute path. Links are followed,
// also to a file that is not there yet, so a link stays a link. It is a regular file or none, in a
// folder that can be written; otherwise throws Failure with the name and what is wrong with it.
std::filesystem::path output_file(const std::string &path);

// NULL for an option that was not given.
inline const char *or_null(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

template <typename T> struct Type { using type = T; };

template <typename T> constexpr gp_dtype dtype_of() {
    if constexpr (std::is_same_v<T, float>) return GP_FLOAT32;
    if constexpr (std::is_same_v<T, double>) return GP_FLOAT64;
    constexpr gp_dtype first = std::is_signed_v<T> ? GP_INT8 : GP_UINT8;
    return first + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
}

// Calls f with the Type of a dtype; GP_FLOAT16 and GP_BFLOAT16, which C++ has no types for, are the
// caller's business.
template <typename F> decltype(auto) with_type(gp_dtype dtype, F &&f) {
    switch (dtype) {
    case GP_INT8: return f(Type<int8_t>());
    case GP_INT16: return f(Type<int16_t>());
    case GP_INT32: return f(Type<int32_t>());
    case GP_INT64: return f(Type<int64_t>());
    case GP_UINT8: return f(Type<uint8_t>());
    case GP_UINT16: return f(Type<uint16_t>());
    case GP_UINT32: return f(Type<uint32_t>());
    case GP_UINT64: return f(Type<uint64_t>());
    case GP_FLOAT32: return f(Type<float>());
    case GP_FLOAT64: return f(Type<double>());
    default: throw Failure(std::string("no C++ type for ") + gp_dtype_name(dtype));
    }
}

// The shortest text that reads back as the same number.
std::string to_text(double value);
std::string to_text(float value);
template <typename T> std::string to_text(T value) requires std::is_integral_v<T> { return std::to_string(value); }

double half_value(uint16_t bits); // of IEEE 754 binary16
float bfloat_value(uint16_t bits);

// The text of an element of any type.
std::string element_text(gp_dtype dtype, const void *element);

} // namespace command
