// What a call on buffers was asked for, in words. Calls of one signature do the same, each with the
// memory of its own buffers.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/buffer.h"

#include <cstring>
#include <initializer_list>
#include <span>

namespace gpcl::cl {

// A buffer among a call's arguments, and the offset in it, in the argument's own unit; NULL where
// none is given.
struct Place {
    const gp_buffer *buffer;
    size_t offset;
};

// A copy of the caller's options as far as they are known, with zeros for the rest; nothing is
// checked.
template <class Options> Options known_options(const Options *given) {
    Options options;
    std::memset(&options, 0, sizeof options);
    if (given != nullptr && given->struct_size <= sizeof options) std::memcpy(&options, given, given->struct_size);
    return options;
}

class Signature {
  public:
    // `function` is the literal that names the entry point. `places` are all the buffers of the
    // call, those among its options too. What the options' texts say counts, not where they stand.
    // Arrays of the host among the options make a call that has no signature; an operation adds
    // numbers such as alpha and beta by bytes(). A member that points to anything has to be named
    // here.
    template <class Options, class... Values>
    Signature(const Context &context, const char *function, const Options *options, std::initializer_list<Place> places,
              Values... values)
        : exists_(!context.is_host()) {
        if (!exists_) return;
        word(reinterpret_cast<uintptr_t>(function));
        (word(static_cast<uint64_t>(values)), ...);
        for (const Place &place : places) add(context, place);
        if (options == nullptr)
            word(0);
        else if (options->struct_size < sizeof(size_t) || options->struct_size > sizeof(Options))
            exists_ = false;
        else
            add(known_options(options));
    }

    // What else counts, such as values in the host's memory.
    void bytes(const void *data, size_t size);
    void text(const char *text);

    // Has the call one? Then it is complete, and nothing is added from now on.
    bool exists() const { return exists_; }
    std::span<const uint64_t> words() const { return {words_.data(), count_}; }
    uint64_t hash() const;

    // Which of the places that is; none: SIZE_MAX.
    size_t find(const gp_buffer *handle, size_t offset) const;
    const Buffer &buffer(size_t place) const { return *buffers_[place]; }

  private:
    void word(uint64_t word) {
        if (count_ < words_.size())
            words_[count_++] = word;
        else
            exists_ = false;
    }
    void add(const Context &context, const Place &place);

    template <class Options> void add(Options options) {
        const auto by_content = [&](const char *&member) { text(std::exchange(member, nullptr)); };
        const auto elsewhere = [](auto *&member) { member = nullptr; }; // a place, or added by the operation
        const auto of_host = [&](const auto *member) { exists_ = exists_ && member == nullptr; };
        if constexpr (requires { options.algorithm; }) by_content(options.algorithm);
        if constexpr (requires { options.operator_source; }) by_content(options.operator_source);
        if constexpr (requires { options.operator_identity; }) by_content(options.operator_identity);
        if constexpr (requires { options.operator_helpers; }) by_content(options.operator_helpers);
        if constexpr (requires { options.helpers; }) by_content(options.helpers);
        if constexpr (requires { options.predicate; }) by_content(options.predicate);
        if constexpr (requires { options.type; }) by_content(options.type);
        if constexpr (requires { options.finish_source; }) by_content(options.finish_source);
        if constexpr (requires { options.plus_source; }) by_content(options.plus_source);
        if constexpr (requires { options.times_source; }) by_content(options.times_source);
        if constexpr (requires { options.zero_source; }) by_content(options.zero_source);
        if constexpr (requires { options.one_source; }) by_content(options.one_source);
        if constexpr (requires { options.alpha; }) elsewhere(options.alpha);
        if constexpr (requires { options.beta; }) elsewhere(options.beta);
        if constexpr (requires { options.clamp_low; }) elsewhere(options.clamp_low);
        if constexpr (requires { options.clamp_high; }) elsewhere(options.clamp_high);
        if constexpr (requires { options.bias_buffer; }) elsewhere(options.bias_buffer);
        if constexpr (requires { options.work; }) elsewhere(options.work);
        if constexpr (requires { options.n_buffer; }) elsewhere(options.n_buffer);
        if constexpr (requires { options.m_buffer; }) elsewhere(options.m_buffer);
        if constexpr (requires { options.n_a_buffer; }) elsewhere(options.n_a_buffer);
        if constexpr (requires { options.n_b_buffer; }) elsewhere(options.n_b_buffer);
        if constexpr (requires { options.heads_buffer; }) elsewhere(options.heads_buffer);
        if constexpr (requires { options.initial_buffer; }) elsewhere(options.initial_buffer);
        if constexpr (requires { options.final_buffer; }) elsewhere(options.final_buffer);
        if constexpr (requires { options.offsets_buffer; }) elsewhere(options.offsets_buffer);
        if constexpr (requires { options.ends_buffer; }) elsewhere(options.ends_buffer);
        if constexpr (requires { options.firsts_buffer; }) elsewhere(options.firsts_buffer);
        if constexpr (requires { options.negative_cycle_buffer; }) elsewhere(options.negative_cycle_buffer);
        if constexpr (requires { options.first_wrong_buffer; }) elsewhere(options.first_wrong_buffer);
        if constexpr (requires { options.event; }) of_host(options.event);
        if constexpr (requires { options.negative_cycle; }) of_host(options.negative_cycle);
        if constexpr (requires { options.bias; }) of_host(options.bias);
        if constexpr (requires { options.heads; }) of_host(options.heads);
        if constexpr (requires { options.initial; }) of_host(options.initial);
        if constexpr (requires { options.final_value; }) of_host(options.final_value);
        if constexpr (requires { options.final_state; }) of_host(options.final_state);
        if constexpr (requires { options.offsets; }) of_host(options.offsets);
        if constexpr (requires { options.ends; }) of_host(options.ends);
        if constexpr (requires { options.firsts; }) of_host(options.firsts);
        if constexpr (requires { options.edges; }) of_host(options.edges);
        if constexpr (requires { options.edges_x; }) of_host(options.edges_x);
        if constexpr (requires { options.edges_y; }) of_host(options.edges_y);
        std::array<uint64_t, (sizeof options + sizeof(uint64_t) - 1) / sizeof(uint64_t)> all = {};
        std::memcpy(all.data(), &options, sizeof options);
        for (const uint64_t each : all) word(each);
    }

    static constexpr size_t kMostPlaces = 10, kMostWords = 128;
    bool exists_;
    size_t count_ = 0, place_count_ = 0;
    std::array<Place, kMostPlaces> places_;
    std::array<std::shared_ptr<Buffer>, kMostPlaces> buffers_;
    std::array<uint64_t, kMostWords> words_; // as many as were added
};

} // namespace gpcl::cl
