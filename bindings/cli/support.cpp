// What the subcommands share; see support.h.
// SPDX-License-Identifier: MIT
#include "support.h"

#include <charconv>
#include <cstdio>
#include <unistd.h>

namespace command {

void check(gp_status status) {
    if (status == GP_SUCCESS) return;
    std::string message = gp_error_message();
    const std::string log = gp_error_build_log();
    if (message.empty()) message = gp_status_name(status);
    if (!log.empty()) message += "\n" + log;
    throw Failure(message, status);
}

Context::Context(const std::string &selector) {
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

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string &text) {
    if (!terminal_) return;
    std::fprintf(stderr, "\r\033[K%s ...", text.c_str());
    shown_ = true;
}

void Progress::clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

namespace {

template <typename T> std::string shortest(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

} // namespace

std::string to_text(double value) { return shortest(value); }
std::string to_text(float value) { return shortest(value); }

} // namespace command
