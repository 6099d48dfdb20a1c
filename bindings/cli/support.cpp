// What the subcommands share; see support.h.
// SPDX-License-Identifier: MIT
#include "support.h"

#include "system.h"
#include "words.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace command {

namespace fs = std::filesystem;

void check(gp_status status) {
    if (status == GP_SUCCESS) return;
    std::string message = gp_error_message();
    const std::string log = gp_error_build_log();
    if (message.empty()) message = gp_status_name(status);
    if (!log.empty()) message += "\n" + log;
    throw Failure(message, status);
}

Context::Context(const std::string &selector) {
    const Progress progress("opening the device");
    gp_context *context = nullptr;
    check(gp_open(selector.c_str(), &context));
    handle_.reset(context);
}

gp_device_info Context::info() const {
    gp_device_info info{};
    info.struct_size = sizeof info;
    check(gp_describe(*this, &info));
    return info;
}

fs::path output_file(const std::string &path) {
    std::error_code error;
    const auto type = fs::status(path, error).type();
    if (type == fs::file_type::none) throw Failure(path + ": can't be written: " + error.message());
    if (type != fs::file_type::not_found && type != fs::file_type::regular)
        throw Failure(path + ": is not a regular file, so it is not replaced; name a file to write to");
    auto target = fs::absolute(path, error);
    // weakly_canonical() leaves a link to nothing as it is. A loop has type none, so this ends.
    while (type == fs::file_type::not_found && fs::is_symlink(fs::symlink_status(target, error)))
        target = target.parent_path() / fs::read_symlink(target, error);
    target = fs::weakly_canonical(target, error);
    if (error) throw Failure(path + ": can't be written: " + error.message());
    std::string why;
    if (!can_write_in(target.parent_path(), why)) throw Failure(path + ": can't be written: " + why);
    return target;
}

std::string device_name(const gp_device_info &info) {
    return std::string(info.name) + " [" + (info.selector[0] ? info.selector : "caller's own") + "]";
}

Buffer::Buffer(gp_context *context, size_t bytes) {
    gp_buffer *buffer = nullptr;
    check(gp_buffer_create(context, bytes, &buffer));
    handle_.reset(buffer);
}

Times &Times::operator+=(const Times &other) {
    upload += other.upload;
    run += other.run;
    download += other.download;
    wall += other.wall;
    kernels += other.kernels;
    return *this;
}

Times Event::times() const {
    gp_timing timing = GP_TIMING_INIT;
    check(gp_event_timing(event_, &timing));
    const auto milliseconds = [](uint64_t ns) { return static_cast<double>(ns) * 1e-6; };
    return {milliseconds(timing.upload_ns), milliseconds(timing.run_ns), milliseconds(timing.download_ns), 0,
            timing.kernels};
}

void print_wrapped(std::FILE *file, const std::string &text) {
    std::fputs(wrapped(text, terminal_columns(fileno(file), 0)).c_str(), file);
}

namespace {

// The line of progress. A thread draws it again each second, so that a call that takes long can be
// seen to run. One for the process, never destroyed: the thread runs until the process ends.
class Line {
  public:
    static Line &of_process() {
        static auto *const line = new Line;
        return *line;
    }

    void show(const std::string &text) {
        if (!terminal_) return;
        const std::lock_guard lock(mutex_);
        if (!thread_started_) start_thread();
        text_ = text;
        draw();
    }

    void clear() {
        if (!terminal_) return;
        const std::lock_guard lock(mutex_);
        text_.clear();
        if (drawn_) write("\r\033[K");
        drawn_ = false;
    }

    void end() {
        clear();
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }

  private:
    Line() {
        const char *kind = std::getenv("TERM");
        terminal_ = isatty(STDERR_FILENO) == 1 && kind && *kind && std::string(kind) != "dumb";
    }

    void start_thread() {
        thread_started_ = true;
        try {
            std::thread([this] {
                for (;;) {
                    std::this_thread::sleep_for(std::chrono::seconds(1));
                    const std::lock_guard lock(mutex_);
                    if (!text_.empty()) draw();
                }
            }).detach();
        } catch (const std::system_error &) {
            // No thread: the line changes with its text alone.
        }
    }

    void draw() {
        constexpr double kSilent = 1000; // milliseconds
        const auto age = watch_.milliseconds();
        if (ended_ || age < kSilent) return;
        const auto time = " ... " + std::to_string(static_cast<int>(age / 1000)) + " s";
        // A line that wraps could not be rubbed out.
        const auto columns = terminal_columns(STDERR_FILENO, 80);
        auto text = text_;
        if (text.size() + time.size() >= columns) {
            text.resize(columns > time.size() ? columns - time.size() - 1 : 0);
            while (!text.empty() && (text.back() & 0x80)) text.pop_back(); // no half a character
        }
        write("\r\033[K" + text + time);
        drawn_ = true;
    }

    static void write(const std::string &text) {
        std::fputs(text.c_str(), stderr);
        std::fflush(stderr);
    }

    std::mutex mutex_;
    bool terminal_ = false, thread_started_ = false, drawn_ = false, ended_ = false;
    std::string text_;
    Stopwatch watch_;
};

} // namespace

void Progress::show(const std::string &text) { Line::of_process().show(text); }

void Progress::show_part(const std::string &text, size_t done, size_t all) {
    const auto part = all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1;
    show(text + ", " + std::to_string(static_cast<int>(100 * part)) + " %");
}

void Progress::clear() { Line::of_process().clear(); }
void Progress::end() { Line::of_process().end(); }

namespace {

template <typename T> std::string shortest(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

} // namespace

std::string to_text(double value) { return shortest(value); }
std::string to_text(float value) { return shortest(value); }

double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    if (exponent == 31)
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return bits & 0x8000 ? -magnitude : magnitude;
}

float bfloat_value(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

std::string element_text(gp_dtype dtype, const void *element) {
    if (dtype == GP_FLOAT16) {
        uint16_t bits = 0;
        std::memcpy(&bits, element, sizeof bits);
        return to_text(static_cast<float>(half_value(bits)));
    }
    if (dtype == GP_BFLOAT16) {
        uint16_t bits = 0;
        std::memcpy(&bits, element, sizeof bits);
        return to_text(bfloat_value(bits));
    }
    return with_type(dtype, [&](auto type) {
        typename decltype(type)::type value;
        std::memcpy(&value, element, sizeof value);
        return to_text(value);
    });
}

} // namespace command
