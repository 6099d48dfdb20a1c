// What gpcl bench runs on vectors: scan, reduce, sort, histogram and recurrence on random data,
// each with a plain loop that knows the right result. Matrices are in bench_matmul.cpp.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace command {

void Workload::restore(bool first) {
    if (in_place_)
        std::memcpy(output_.data(), inputs_[0].data(), output_.size());
    else if (first)
        std::memset(output_.data(), 0xa5, output_.size());
}

void Workload::put(gp_context *context) {
    for (const auto &input : inputs_) {
        buffers_.emplace_back(context, input.size());
        check(gp_buffer_write(buffers_.back(), 0, input.size(), input.data()));
    }
    buffers_.emplace_back(context, output_.size());
}

void Workload::restore_device(bool first) {
    const unsigned char old = 0xa5;
    if (in_place_)
        check(gp_buffer_copy(buffers_[0], 0, output_buffer(), 0, output_.size()));
    else if (first)
        check(gp_buffer_fill(output_buffer(), 0, output_.size(), &old, 1));
}

void Workload::fetch() { check(gp_buffer_read(output_buffer(), 0, output_.size(), output_.data())); }

namespace {

// Random numbers that a floating-point sum of any order adds up without rounding: multiples of
// 1/256 between -1 and 1, whose sums stay far below 2^24 / 256. So scans and reductions of any type
// have one right result.
template <typename T> T exact_random(Random &random) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(static_cast<int>(random() % 513) - 256) / 256;
    else
        return static_cast<T>(random());
}

// Integers wrap.
template <typename T> T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
        return a + b;
}

template <typename Options> Options named(Options options, const char *algorithm, gp_event **event) {
    options.algorithm = algorithm;
    options.event = event;
    return options;
}

template <typename T> class Scan final : public Workload {
  public:
    explicit Scan(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(n_ * sizeof(T));
        bytes = 2.0 * static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every element equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_scan_options>(GP_SCAN_OPTIONS_INIT, algorithm, event);
        return gp_scan(context, dtype_of<T>(), n_, input<T>(0), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_scan_options>(GP_SCAN_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_scan(context, dtype_of<T>(), n_, input_buffer(0), 0, output_buffer(), 0, &o, 0, nullptr,
                               nullptr);
    }
    bool right() override {
        T expected = 0;
        for (size_t i = 0; i < n_; ++i)
            if ((expected = sum(expected, input<T>(0)[i])) != output<T>()[i]) return false;
        return true;
    }

  private:
    const size_t n_;
};

template <typename T> class Reduce final : public Workload {
  public:
    explicit Reduce(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(sizeof(T));
        bytes = static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "the sum equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_reduce_options>(GP_REDUCE_OPTIONS_INIT, algorithm, event);
        return gp_reduce(context, dtype_of<T>(), n_, input<T>(0), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_reduce_options>(GP_REDUCE_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_reduce(context, dtype_of<T>(), n_, input_buffer(0), 0, output_buffer(), 0, &o, 0, nullptr,
                                 nullptr);
    }
    bool right() override {
        T expected = 0;
        for (size_t i = 0; i < n_; ++i) expected = sum(expected, input<T>(0)[i]);
        return expected == *output<T>();
    }

  private:
    const size_t n_;
};

template <typename T> class ArgReduce final : public Workload {
  public:
    explicit ArgReduce(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(sizeof(uint64_t));
        bytes = static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "the position equals std::min_element's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_arg_reduce_options>(GP_ARG_REDUCE_OPTIONS_INIT, algorithm, event);
        return gp_arg_reduce(context, GP_MINIMUM, dtype_of<T>(), n_, input<T>(0), GP_UINT64, output<uint64_t>(),
                             nullptr, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_arg_reduce_options>(GP_ARG_REDUCE_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_arg_reduce(context, GP_MINIMUM, dtype_of<T>(), n_, input_buffer(0), 0, GP_UINT64,
                                     output_buffer(), 0, nullptr, 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const T *in = input<T>(0);
        return static_cast<uint64_t>(std::min_element(in, in + n_) - in) == *output<uint64_t>();
    }

  private:
    const size_t n_;
};

// The 1000 largest.
template <typename T> class TopK final : public Workload {
  public:
    explicit TopK(const Work &work) : n_(work.n), k_(std::min<size_t>(work.n, 1000)) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(k_ * sizeof(uint64_t));
        bytes = static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "the positions equal those of std::partial_sort";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_top_k_options>(GP_TOP_K_OPTIONS_INIT, algorithm, event);
        return gp_top_k(context, GP_DESCENDING, dtype_of<T>(), n_, input<T>(0), k_, GP_UINT64, output<uint64_t>(),
                        nullptr, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_top_k_options>(GP_TOP_K_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_top_k(context, GP_DESCENDING, dtype_of<T>(), n_, input_buffer(0), 0, k_, GP_UINT64,
                                output_buffer(), 0, nullptr, 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const T *in = input<T>(0);
        std::vector<uint64_t> expected(n_);
        std::iota(expected.begin(), expected.end(), uint64_t{0});
        std::partial_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(k_), expected.end(),
                          [in](uint64_t a, uint64_t b) { return in[a] > in[b] || (in[a] == in[b] && a < b); });
        return std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(k_), output<uint64_t>());
    }

  private:
    const size_t n_, k_;
};

// As many random values as the array has elements.
template <typename T> class Search final : public Workload {
  public:
    explicit Search(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        std::sort(input<T>(0), input<T>(0) + n_);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(n_ * sizeof(uint32_t));
        bytes = static_cast<double>(n_) * (2 * sizeof(T) + sizeof(uint32_t));
        operations = static_cast<double>(n_);
        how = "the positions equal std::lower_bound's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_search_options>(GP_SEARCH_OPTIONS_INIT, algorithm, event);
        return gp_search(context, dtype_of<T>(), n_, input<T>(0), n_, input<T>(1), GP_UINT32, output<uint32_t>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_search_options>(GP_SEARCH_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_search(context, dtype_of<T>(), n_, input_buffer(0), 0, n_, input_buffer(1), 0, GP_UINT32,
                                 output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const T *in = input<T>(0), *values = input<T>(1);
        for (size_t i = 0; i < n_; ++i)
            if (output<uint32_t>()[i] != static_cast<size_t>(std::lower_bound(in, in + n_, values[i]) - in))
                return false;
        return true;
    }

  private:
    const size_t n_;
};

// Two arrays by a text.
template <typename T> class Transform final : public Workload {
  public:
    explicit Transform(const Work &work) : n_(work.n) {
        Random random(kSeed);
        for (size_t k = 0; k < 2; ++k) add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(n_ * sizeof(T));
        bytes = 3.0 * static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every element of x0 + x1 equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_transform_options>(GP_TRANSFORM_OPTIONS_INIT, algorithm, event);
        const void *const in[] = {input<T>(0), input<T>(1)};
        return gp_transform(context, n_, 2, kTypes, in, dtype_of<T>(), output<T>(), kText, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_transform_options>(GP_TRANSFORM_OPTIONS_INIT, algorithm, nullptr);
        gp_buffer *const in[] = {input_buffer(0), input_buffer(1)};
        return gp_enqueue_transform(context, n_, 2, kTypes, in, nullptr, dtype_of<T>(), output_buffer(), 0, kText, &o,
                                    0, nullptr, nullptr);
    }
    bool right() override {
        for (size_t i = 0; i < n_; ++i)
            if (sum(input<T>(0)[i], input<T>(1)[i]) != output<T>()[i]) return false;
        return true;
    }

  private:
    static constexpr gp_dtype kTypes[] = {dtype_of<T>(), dtype_of<T>()};
    static constexpr const char *kText = "x0 + x1";
    const size_t n_;
};

template <typename T> class Difference final : public Workload {
  public:
    explicit Difference(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(n_ * sizeof(T));
        bytes = 2.0 * static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every element, and the one before it, add up to the input's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_difference_options>(GP_DIFFERENCE_OPTIONS_INIT, algorithm, event);
        return gp_difference(context, dtype_of<T>(), n_, input<T>(0), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_difference_options>(GP_DIFFERENCE_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_difference(context, dtype_of<T>(), n_, input_buffer(0), 0, output_buffer(), 0, &o, 0, nullptr,
                                     nullptr);
    }
    bool right() override { // exact: elements are multiples of 1/256
        for (size_t i = 0; i < n_; ++i)
            if (sum(i > 0 ? input<T>(0)[i - 1] : T{0}, output<T>()[i]) != input<T>(0)[i]) return false;
        return true;
    }

  private:
    const size_t n_;
};

// Of a sorted array, so that all of it is read.
template <typename T> class IsSorted final : public Workload {
  public:
    explicit IsSorted(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        std::sort(input<T>(0), input<T>(0) + n_);
        set_output(sizeof(uint64_t));
        bytes = static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "std::sort's result is sorted";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_is_sorted_options>(GP_IS_SORTED_OPTIONS_INIT, algorithm, event);
        return gp_is_sorted(context, dtype_of<T>(), n_, input<T>(0), output<uint64_t>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_is_sorted_options>(GP_IS_SORTED_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_is_sorted(context, dtype_of<T>(), n_, input_buffer(0), 0, output_buffer(), 0, &o, 0, nullptr,
                                    nullptr);
    }
    bool right() override { return *output<uint64_t>() == n_; }

  private:
    const size_t n_;
};

// Keys in runs of ten elements on average. The output is the count, then a result for each run.
class Runs : public Workload {
  public:
    explicit Runs(const Work &work) : n_(work.n) {
        Random random(kSeed);
        int32_t key = 0;
        add_input<int32_t>(n_, [&] { return key += random() % kLength == 0 ? 1 : 0; });
        const auto *keys = input<int32_t>(0);
        for (size_t i = 0; i < n_; ++i)
            if (i == 0 || keys[i] != keys[i - 1]) firsts_.push_back(i);
    }

  protected:
    static constexpr size_t kLength = 10;
    size_t end(size_t run) const { return run + 1 < firsts_.size() ? firsts_[run + 1] : n_; }
    bool counts(uint64_t count) const { return count == firsts_.size(); }

    const size_t n_;
    std::vector<size_t> firsts_;
};

class RunLengths final : public Runs {
  public:
    explicit RunLengths(const Work &work) : Runs(work) {
        set_output((firsts_.size() + 1) * sizeof(uint64_t));
        bytes = static_cast<double>(n_ * sizeof(int32_t) + firsts_.size() * sizeof(uint64_t));
        operations = static_cast<double>(n_);
        how = "the lengths equal one loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        auto o = named<gp_run_lengths_options>(GP_RUN_LENGTHS_OPTIONS_INIT, algorithm, event);
        o.capacity = firsts_.size();
        auto *const out = output<uint64_t>();
        return gp_run_lengths(context, GP_INT32, n_, input<int32_t>(0), nullptr, GP_UINT64, out + 1, out, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        auto o = named<gp_run_lengths_options>(GP_RUN_LENGTHS_OPTIONS_INIT, algorithm, nullptr);
        o.capacity = firsts_.size();
        return gp_enqueue_run_lengths(context, GP_INT32, n_, input_buffer(0), 0, nullptr, 0, GP_UINT64, output_buffer(),
                                      1, output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const auto *out = output<uint64_t>();
        if (!counts(out[0])) return false;
        for (size_t k = 0; k < firsts_.size(); ++k)
            if (out[k + 1] != end(k) - firsts_[k]) return false;
        return true;
    }
};

// Sums of values of type T, by keys of int32.
template <typename T> class ReduceByKey final : public Runs {
  public:
    explicit ReduceByKey(const Work &work) : Runs(work) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(firsts_.size() * sizeof(T) + kCount);
        bytes = static_cast<double>(n_ * (sizeof(int32_t) + sizeof(T)) + firsts_.size() * sizeof(T));
        operations = static_cast<double>(n_);
        how = "the sums equal one loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        auto o = named<gp_reduce_by_key_options>(GP_REDUCE_BY_KEY_OPTIONS_INIT, algorithm, event);
        o.capacity = firsts_.size();
        return gp_reduce_by_key(context, GP_INT32, n_, input<int32_t>(0), dtype_of<T>(), input<T>(1), nullptr,
                                output<T>() + kCount / sizeof(T), output<uint64_t>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        auto o = named<gp_reduce_by_key_options>(GP_REDUCE_BY_KEY_OPTIONS_INIT, algorithm, nullptr);
        o.capacity = firsts_.size();
        return gp_enqueue_reduce_by_key(context, GP_INT32, n_, input_buffer(0), 0, dtype_of<T>(), input_buffer(1), 0,
                                        nullptr, 0, output_buffer(), kCount / sizeof(T), output_buffer(), 0, &o, 0,
                                        nullptr, nullptr);
    }
    bool right() override {
        const T *values = input<T>(1), *sums = output<T>() + kCount / sizeof(T);
        if (!counts(*output<uint64_t>())) return false;
        for (size_t k = 0; k < firsts_.size(); ++k) {
            T expected = 0;
            for (size_t i = firsts_[k]; i < end(k); ++i) expected = sum(expected, values[i]);
            if (sums[k] != expected) return false;
        }
        return true;
    }

  private:
    static constexpr size_t kCount = sizeof(uint64_t); // bytes before the sums
};

// Running sums of values of type T in each run of keys of int32.
template <typename T> class ScanByKey final : public Runs {
  public:
    explicit ScanByKey(const Work &work) : Runs(work) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        set_output(n_ * sizeof(T));
        bytes = static_cast<double>(n_ * (sizeof(int32_t) + 2 * sizeof(T)));
        operations = static_cast<double>(n_);
        how = "every element equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_scan_by_key_options>(GP_SCAN_BY_KEY_OPTIONS_INIT, algorithm, event);
        return gp_scan_by_key(context, GP_INT32, n_, input<int32_t>(0), dtype_of<T>(), input<T>(1), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_scan_by_key_options>(GP_SCAN_BY_KEY_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_scan_by_key(context, GP_INT32, n_, input_buffer(0), 0, dtype_of<T>(), input_buffer(1), 0,
                                      output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const T *values = input<T>(1), *out = output<T>();
        for (size_t k = 0; k < firsts_.size(); ++k) {
            T expected = 0;
            for (size_t i = firsts_[k]; i < end(k); ++i) {
                expected = sum(expected, values[i]);
                if (out[i] != expected) return false;
            }
        }
        return true;
    }
};

// n elements in all, of n / 10 that are each repeated up to 20 times.
template <typename T> class Repeat final : public Workload {
  public:
    explicit Repeat(const Work &work) : n_(work.n) {
        Random random(kSeed);
        std::vector<uint32_t> repeats;
        for (size_t all = 0; all < n_; all += repeats.back())
            repeats.push_back(static_cast<uint32_t>(std::min<size_t>(random() % 21, n_ - all)));
        add_input<T>(repeats.size(), [&] { return exact_random<T>(random); });
        add_input<uint32_t>(repeats.size(), [&, i = size_t{0}]() mutable { return repeats[i++]; });
        add_input<uint64_t>(1, [] { return uint64_t{0}; }); // the count
        set_output(n_ * sizeof(T));
        elements_ = repeats.size();
        bytes = static_cast<double>(n_ * sizeof(T) + elements_ * (sizeof(T) + sizeof(uint32_t)));
        operations = static_cast<double>(n_);
        how = "every element equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_repeat_options>(GP_REPEAT_OPTIONS_INIT, algorithm, event);
        return gp_repeat(context, sizeof(T), elements_, input<T>(0), GP_UINT32, input<uint32_t>(1), n_, output<T>(),
                         input<uint64_t>(2), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_repeat_options>(GP_REPEAT_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_repeat(context, sizeof(T), elements_, input_buffer(0), 0, GP_UINT32, input_buffer(1), 0, n_,
                                 output_buffer(), 0, input_buffer(2), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const T *out = output<T>();
        for (size_t i = 0; i < elements_; ++i)
            for (uint32_t k = 0; k < input<uint32_t>(1)[i]; ++k)
                if (*out++ != input<T>(0)[i]) return false;
        return true;
    }

  private:
    const size_t n_;
    size_t elements_;
};

// Of random numbers below n. The output is the count, and for each value how many there are; with
// the inverse that; and the values.
template <typename T> class Unique final : public Workload {
  public:
    explicit Unique(const Work &work) : n_(work.n), has_inverse_(work.extra == 1) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return static_cast<T>(random() % n_); });
        values_.assign(input<T>(0), input<T>(0) + n_);
        std::sort(values_.begin(), values_.end());
        for (size_t i = 0; i < n_; ++i)
            if (i == 0 || values_[i] != values_[i - 1]) firsts_.push_back(i);
        set_output((values_at() + n_) * sizeof(uint64_t)); // values take no more than that
        bytes = static_cast<double>(n_ * sizeof(T) + firsts_.size() * (sizeof(T) + sizeof(uint64_t)) +
                                    (has_inverse_ ? n_ * sizeof(uint64_t) : 0));
        operations = static_cast<double>(n_);
        how = "values and counts equal those of std::sort's result";
        if (has_inverse_) how = "values and counts equal those of std::sort's result, values at the inverse the input";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_unique_options>(GP_UNIQUE_OPTIONS_INIT, algorithm, event);
        auto *const out = output<uint64_t>();
        return gp_unique(context, dtype_of<T>(), n_, input<T>(0), out + values_at(), GP_UINT64, nullptr,
                         has_inverse_ ? out + 1 + n_ : nullptr, out + 1, out, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_unique_options>(GP_UNIQUE_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_unique(context, dtype_of<T>(), n_, input_buffer(0), 0, output_buffer(),
                                 values_at() * sizeof(uint64_t) / sizeof(T), GP_UINT64, nullptr, 0,
                                 has_inverse_ ? output_buffer() : nullptr, has_inverse_ ? 1 + n_ : 0, output_buffer(),
                                 1, output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const auto *out = output<uint64_t>();
        const T *values = output<T>() + values_at() * sizeof(uint64_t) / sizeof(T);
        if (out[0] != firsts_.size()) return false;
        for (size_t k = 0; k < firsts_.size(); ++k) {
            const size_t end = k + 1 < firsts_.size() ? firsts_[k + 1] : n_;
            if (values[k] != values_[firsts_[k]] || out[k + 1] != end - firsts_[k]) return false;
        }
        for (size_t i = 0; i < n_ && has_inverse_; ++i)
            if (out[1 + n_ + i] >= firsts_.size() || values[out[1 + n_ + i]] != input<T>(0)[i]) return false;
        return true;
    }

  private:
    size_t values_at() const { return 1 + (has_inverse_ ? 2 : 1) * n_; } // in uint64s

    const size_t n_;
    const bool has_inverse_;
    std::vector<T> values_; // sorted
    std::vector<size_t> firsts_;
};

// The i-th of n keys.
template <typename T> T key(const std::string &distribution, size_t i, size_t n, Random &random) {
    constexpr auto kBits = std::is_floating_point_v<T> ? 32 : std::numeric_limits<T>::digits;
    const auto part = [&](size_t of) { // of the largest key
        const auto highest = std::is_floating_point_v<T> ? 1.0 : std::ldexp(1.0, kBits);
        return static_cast<T>(static_cast<double>(of) / static_cast<double>(n) * highest);
    };
    const auto any = [&] {
        if constexpr (std::is_floating_point_v<T>)
            return std::normal_distribution<T>()(random);
        else
            return static_cast<T>(random());
    };
    const auto below = [&](uint64_t limit) { // or what the type holds
        return static_cast<T>(random() % std::min(limit, uint64_t{1} << std::min(kBits, 63)));
    };
    if (distribution == "sorted") return part(i);
    if (distribution == "reversed") return part(n - 1 - i);
    if (distribution == "equal") return T(42);
    if (distribution == "few") return below(16);
    if (distribution == "one-bit") return static_cast<T>(std::ldexp(1.0, static_cast<int>(random() % kBits)));
    if (distribution == "zipf") { // k is 1 / k as frequent as 1
        const auto bits = std::min(kBits, 20) * (static_cast<double>(random() >> 11) * 0x1p-53);
        return static_cast<T>(std::exp2(bits));
    }
    if (distribution == "outlier") return i == n / 2 ? std::numeric_limits<T>::max() : T(1);
    if (distribution == "clustered") return random() % 8 ? below(4096) : any();
    return any();
}

template <typename T> class Sort final : public Workload {
  public:
    explicit Sort(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&, i = size_t{0}]() mutable { return key<T>(work.distribution, i++, n_, random); });
        set_output(n_ * sizeof(T), true);
        bytes = 2.0 * static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every key equals std::stable_sort's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_sort_options>(GP_SORT_OPTIONS_INIT, algorithm, event);
        return gp_sort(context, dtype_of<T>(), n_, output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_sort_options>(GP_SORT_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_sort(context, dtype_of<T>(), n_, output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (expected_.empty()) { // once for all algorithms
            expected_.assign(input<T>(0), input<T>(0) + n_);
            std::stable_sort(expected_.begin(), expected_.end());
        }
        return std::equal(expected_.begin(), expected_.end(), output<T>());
    }

  private:
    const size_t n_;
    std::vector<T> expected_;
};

// Parts of an array, of which each has n elements, or n on average.
std::vector<uint64_t> offsets_of(const Work &work, bool varied) {
    Random random(kSeed + 1);
    std::vector<uint64_t> offsets(work.rows + 1);
    for (size_t part = 1; part < work.rows; ++part) {
        offsets[part] = part * work.n;
        if (varied && work.n > 0) offsets[part] += random() % work.n;
    }
    offsets[work.rows] = work.rows * work.n;
    return offsets;
}

// Sorts each part of an array and leaves them where they are.
template <typename T> void sort_parts(T *keys, const std::vector<uint64_t> &offsets) {
    for (size_t part = 0; part + 1 < offsets.size(); ++part)
        std::stable_sort(keys + offsets[part], keys + offsets[part + 1]);
}

// Rows, or segments of random lengths.
template <typename T> class SortRows final : public Workload {
  public:
    explicit SortRows(const Work &work)
        : n_(work.n), rows_(work.rows), segments_(work.extra == 1), offsets_(offsets_of(work, segments_)) {
        Random random(kSeed);
        const size_t count = n_ * rows_;
        add_input<T>(count, [&, i = size_t{0}]() mutable { return key<T>(work.distribution, i++, count, random); });
        if (segments_) add_input<uint64_t>(rows_ + 1, [at = offsets_.begin()]() mutable { return *at++; });
        set_output(count * sizeof(T), true);
        bytes = 2.0 * static_cast<double>(count) * sizeof(T);
        operations = static_cast<double>(count);
        how = "every key equals std::stable_sort's of its row or segment";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        auto o = options(algorithm, event);
        if (segments_) o.offsets = offsets_.data();
        return gp_sort(context, dtype_of<T>(), n(), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        auto o = options(algorithm, nullptr);
        if (segments_) o.offsets_buffer = input_buffer(1);
        return gp_enqueue_sort(context, dtype_of<T>(), n(), output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (expected_.empty()) { // once for all algorithms
            expected_.assign(input<T>(0), input<T>(0) + n_ * rows_);
            sort_parts(expected_.data(), offsets_);
        }
        return std::equal(expected_.begin(), expected_.end(), output<T>());
    }

  private:
    size_t n() const { return segments_ ? n_ * rows_ : n_; }
    gp_sort_options options(const char *algorithm, gp_event **event) const {
        auto o = named<gp_sort_options>(GP_SORT_OPTIONS_INIT, algorithm, event);
        (segments_ ? o.segments : o.batch) = rows_;
        return o;
    }

    const size_t n_, rows_;
    const bool segments_;
    const std::vector<uint64_t> offsets_;
    std::vector<T> expected_;
};

// As many runs as there are rows.
template <typename T> class MergeRuns final : public Workload {
  public:
    explicit MergeRuns(const Work &work) : n_(work.n * work.rows), offsets_(offsets_of(work, true)) {
        Random random(kSeed);
        add_input<T>(n_, [&, i = size_t{0}]() mutable { return key<T>("random", i++, n_, random); });
        sort_parts(input<T>(0), offsets_);
        add_input<uint64_t>(offsets_.size(), [at = offsets_.begin()]() mutable { return *at++; });
        set_output(n_ * sizeof(T));
        bytes = 2.0 * static_cast<double>(n_) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every key equals std::stable_sort's of all";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_merge_runs_options>(GP_MERGE_RUNS_OPTIONS_INIT, algorithm, event);
        return gp_merge_runs(context, dtype_of<T>(), n_, input<T>(0), offsets_.size() - 1, offsets_.data(), output<T>(),
                             &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_merge_runs_options>(GP_MERGE_RUNS_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_merge_runs(context, dtype_of<T>(), n_, input_buffer(0), 0, offsets_.size() - 1,
                                     input_buffer(1), 0, output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (expected_.empty()) { // once for all algorithms
            expected_.assign(input<T>(0), input<T>(0) + n_);
            std::stable_sort(expected_.begin(), expected_.end());
        }
        return std::equal(expected_.begin(), expected_.end(), output<T>());
    }

  private:
    const size_t n_;
    const std::vector<uint64_t> offsets_;
    std::vector<T> expected_;
};

template <typename T> class Merge final : public Workload {
  public:
    explicit Merge(const Work &work) : n_a_(work.n / 2), n_b_(work.n - n_a_) {
        Random random(kSeed);
        for (const size_t array : {0, 1}) {
            const size_t n = array == 0 ? n_a_ : n_b_;
            add_input<T>(n, [&, i = size_t{0}]() mutable { return key<T>("random", i++, n, random); });
            std::sort(input<T>(array), input<T>(array) + n);
        }
        set_output(work.n * sizeof(T));
        bytes = 2.0 * static_cast<double>(work.n) * sizeof(T);
        operations = static_cast<double>(work.n);
        how = "every key equals std::merge's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_merge_options>(GP_MERGE_OPTIONS_INIT, algorithm, event);
        return gp_merge(context, dtype_of<T>(), n_a_, input<T>(0), n_b_, input<T>(1), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_merge_options>(GP_MERGE_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_merge(context, dtype_of<T>(), n_a_, input_buffer(0), 0, n_b_, input_buffer(1), 0,
                                output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        if (expected_.empty()) { // once for all algorithms
            expected_.resize(n_a_ + n_b_);
            std::merge(input<T>(0), input<T>(0) + n_a_, input<T>(1), input<T>(1) + n_b_, expected_.begin());
        }
        return std::equal(expected_.begin(), expected_.end(), output<T>());
    }

  private:
    const size_t n_a_, n_b_;
    std::vector<T> expected_;
};

// By random flags.
template <typename T> class Select final : public Workload {
  public:
    explicit Select(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<T>(n_, [&] { return exact_random<T>(random); });
        add_input<uint8_t>(n_, [&] { return static_cast<uint8_t>(random() % work.extra == 0 ? 1 : 0); });
        add_input<uint64_t>(1, [] { return uint64_t{0}; }); // the count
        set_output(n_ * sizeof(T));
        for (size_t i = 0; i < n_; ++i)
            if (input<uint8_t>(1)[i] != 0) expected_.push_back(input<T>(0)[i]);
        bytes = static_cast<double>(n_) + 2.0 * static_cast<double>(expected_.size()) * sizeof(T);
        operations = static_cast<double>(n_);
        how = "every element that is kept equals a loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_select_options>(GP_SELECT_OPTIONS_INIT, algorithm, event);
        return gp_select(context, sizeof(T), n_, input<T>(0), input<uint8_t>(1), output<T>(), input<uint64_t>(2), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_select_options>(GP_SELECT_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_select(context, sizeof(T), n_, input_buffer(0), 0, input_buffer(1), 0, output_buffer(), 0,
                                 input_buffer(2), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override { return std::equal(expected_.begin(), expected_.end(), output<T>()); }

  private:
    const size_t n_;
    std::vector<T> expected_;
};

class Histogram final : public Workload {
  public:
    explicit Histogram(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<uint8_t>(n_, [&] {
            const auto bits = random();
            return static_cast<uint8_t>(work.skewed && bits >> 60 ? 77 : bits); // 15 of 16 are 77
        });
        set_output(kBins * sizeof(uint64_t));
        bytes = operations = static_cast<double>(n_);
        how = "every count equals a plain loop's";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = named<gp_histogram_options>(GP_HISTOGRAM_OPTIONS_INIT, algorithm, event);
        return gp_histogram(context, GP_UINT8, n_, input<uint8_t>(0), kBins, output<uint64_t>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = named<gp_histogram_options>(GP_HISTOGRAM_OPTIONS_INIT, algorithm, nullptr);
        return gp_enqueue_histogram(context, GP_UINT8, n_, input_buffer(0), 0, kBins, output_buffer(), 0, &o, 0,
                                    nullptr, nullptr);
    }
    bool right() override {
        std::array<uint64_t, kBins> expected{};
        for (size_t i = 0; i < n_; ++i) ++expected[input<uint8_t>(0)[i]];
        return std::equal(expected.begin(), expected.end(), output<uint64_t>());
    }

  private:
    static constexpr size_t kBins = 256;
    const size_t n_;
};

// Weights of 0 to 1023, whose sums in float32 have one right answer.
class WeightedHistogram final : public Workload {
  public:
    explicit WeightedHistogram(const Work &work) : n_(work.n) {
        Random random(kSeed);
        add_input<float>(n_, [&] { return static_cast<float>(random() >> 40) * 0x1p-24F; });
        add_input<float>(n_, [&] { return static_cast<float>(random() >> 54); });
        set_output(kBins * sizeof(float));
        bytes = 2 * sizeof(float) * static_cast<double>(n_);
        operations = static_cast<double>(n_);
        how = "every sum equals a plain loop's, rounded once";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_histogram_weighted(context, GP_FLOAT32, n_, input<float>(0), GP_FLOAT32, input<float>(1), kBins,
                                     output<float>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_histogram_weighted(context, GP_FLOAT32, n_, input_buffer(0), 0, GP_FLOAT32, input_buffer(1),
                                             0, kBins, output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        std::array<double, kBins> sums{}; // whole numbers below 2^53
        for (size_t i = 0; i < n_; ++i)
            sums[static_cast<size_t>(input<float>(0)[i] * kBins)] += static_cast<double>(input<float>(1)[i]);
        return std::equal(sums.begin(), sums.end(), output<float>(),
                          [](double sum, float got) { return static_cast<float>(sum) == got; });
    }

  private:
    static constexpr size_t kBins = 256;
    static gp_histogram_weighted_options options(const char *algorithm, gp_event **event) {
        auto o = named<gp_histogram_weighted_options>(GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT, algorithm, event);
        o.upper = 1;
        return o;
    }
    const size_t n_;
};

// Rows of a recurrence of order 2: one that fades away (each response 0.71 times the one before,
// roughly) on random input, or without input Fibonacci's numbers.
template <typename T> class Recurrence final : public Workload {
  public:
    explicit Recurrence(const Work &work) : n_(work.n), rows_(work.rows), fibonacci_(work.extra == 1) {
        const auto count = n_ * rows_;
        if (fibonacci_) {
            if (static_cast<double>(n_ + 2) * std::log2(1.618034) > std::numeric_limits<T>::max_exponent)
                throw Failure("fibonacci: number " + std::to_string(n_) + " does not fit " +
                              gp_dtype_name(dtype_of<T>()));
            coefficients_ = {1, 1};
            for (size_t row = 0; row < rows_; ++row) initial_.insert(initial_.end(), {1, 0});
            how = "every number is a plain loop's, within its rounding error";
        } else {
            Random random(kSeed);
            add_input<T>(count, [&] { return std::uniform_real_distribution<T>(-1, 1)(random); });
            coefficients_ = {T(1.2), T(-0.5)};
            how = "every element is a plain loop's in wider arithmetic, within the rounding error of 128 terms";
        }
        set_output(count * sizeof(T));
        bytes = (fibonacci_ ? 1.0 : 2.0) * static_cast<double>(count) * sizeof(T);
        operations = 4.0 * static_cast<double>(count);
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_recurrence(context, dtype_of<T>(), n_, fibonacci_ ? nullptr : input<T>(0), output<T>(), 2,
                             coefficients_.data(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_recurrence(context, dtype_of<T>(), n_, fibonacci_ ? nullptr : input_buffer(0), 0,
                                     output_buffer(), 0, 2, coefficients_.data(), &o, 0, nullptr, nullptr);
    }
    bool right() override {
        using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
        constexpr Wide eps = std::numeric_limits<T>::epsilon();
        Wide worst = 0;
        bool within = true;
        for (size_t row = 0; row < rows_; ++row) {
            Wide y1 = fibonacci_ ? 1 : 0, y2 = 0;
            for (size_t t = 0; t < n_; ++t) {
                const auto at = row * n_ + t;
                const Wide x = fibonacci_ ? 0 : input<T>(0)[at];
                const Wide y = x + coefficients_[0] * y1 + coefficients_[1] * y2;
                // Sum |h| |x| of the error bound is y itself where nothing is negative, and at most
                // 5 for the other: the responses are below 3.3 * 0.7072^i, which ends in eps^2 of
                // their sum before i = 128.
                const Wide size = fibonacci_ ? y : Wide(5);
                const Wide terms = static_cast<Wide>(fibonacci_ ? t : std::min<size_t>(t, 128)) + 4;
                const Wide difference = std::abs(y - static_cast<Wide>(output<T>()[at]));
                within = within && difference <= terms * eps * size; // a NaN is not
                worst = std::max(worst, difference / size);
                y2 = y1;
                y1 = y;
            }
        }
        error = static_cast<double>(worst);
        return within;
    }

  private:
    gp_recurrence_options options(const char *algorithm, gp_event **event) const {
        auto o = named<gp_recurrence_options>(GP_RECURRENCE_OPTIONS_INIT, algorithm, event);
        o.batch = rows_;
        o.initial = initial_.empty() ? nullptr : initial_.data();
        return o;
    }
    const size_t n_, rows_;
    const bool fibonacci_;
    std::vector<T> coefficients_, initial_;
};

// Rows of a recurrence whose coefficients vary, with random ones between -1 and 1.
template <typename T> class RecurrenceVarying final : public Workload {
  public:
    explicit RecurrenceVarying(const Work &work) : n_(work.n), rows_(work.rows) {
        const auto count = n_ * rows_;
        Random random(kSeed);
        for (int i = 0; i < 2; ++i)
            add_input<T>(count, [&] { return std::uniform_real_distribution<T>(-1, 1)(random); });
        set_output(count * sizeof(T));
        bytes = 3.0 * static_cast<double>(count) * sizeof(T);
        operations = 2.0 * static_cast<double>(count);
        how = "every element is a plain loop's in wider arithmetic, within its rounding error";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_recurrence_varying(context, dtype_of<T>(), n_, input<T>(0), input<T>(1), output<T>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_recurrence_varying(context, dtype_of<T>(), n_, input_buffer(0), 0, input_buffer(1), 0,
                                             output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
        constexpr Wide eps = std::numeric_limits<T>::epsilon(), blocks = 16; // roundings on the way between blocks
        Wide worst = 0;
        bool within = true;
        for (size_t row = 0; row < rows_; ++row) {
            Wide y = 0, size = 0, roundings = 0; // size: y of magnitudes; roundings: each of its terms times its age
            for (size_t t = 0; t < n_; ++t) {
                const auto at = row * n_ + t;
                const Wide a = input<T>(0)[at], x = input<T>(1)[at];
                y = x + a * y;
                size = std::abs(x) + std::abs(a) * size;
                roundings = size + std::abs(a) * roundings;
                const Wide difference = std::abs(y - static_cast<Wide>(output<T>()[at]));
                within = within && difference <= 3 * eps * (roundings + blocks * size); // a NaN is not
                if (size > 0) worst = std::max(worst, difference / size);
            }
        }
        error = static_cast<double>(worst);
        return within;
    }

  private:
    gp_recurrence_options options(const char *algorithm, gp_event **event) const {
        auto o = named<gp_recurrence_options>(GP_RECURRENCE_OPTIONS_INIT, algorithm, event);
        o.batch = rows_;
        return o;
    }
    const size_t n_, rows_;
};

template <template <typename> class Of> std::unique_ptr<Workload> of_type(const Work &work) {
    return with_type(work.dtype, [&](auto type) -> std::unique_ptr<Workload> {
        return std::make_unique<Of<typename decltype(type)::type>>(work);
    });
}

} // namespace

std::unique_ptr<Workload> scan_workload(const Work &work) { return of_type<Scan>(work); }
std::unique_ptr<Workload> reduce_workload(const Work &work) { return of_type<Reduce>(work); }
std::unique_ptr<Workload> arg_reduce_workload(const Work &work) { return of_type<ArgReduce>(work); }
std::unique_ptr<Workload> top_k_workload(const Work &work) { return of_type<TopK>(work); }
std::unique_ptr<Workload> search_workload(const Work &work) { return of_type<Search>(work); }
std::unique_ptr<Workload> is_sorted_workload(const Work &work) { return of_type<IsSorted>(work); }
std::unique_ptr<Workload> transform_workload(const Work &work) { return of_type<Transform>(work); }
std::unique_ptr<Workload> difference_workload(const Work &work) { return of_type<Difference>(work); }
std::unique_ptr<Workload> run_lengths_workload(const Work &work) { return std::make_unique<RunLengths>(work); }
std::unique_ptr<Workload> reduce_by_key_workload(const Work &work) { return of_type<ReduceByKey>(work); }
std::unique_ptr<Workload> scan_by_key_workload(const Work &work) { return of_type<ScanByKey>(work); }
std::unique_ptr<Workload> repeat_workload(const Work &work) { return of_type<Repeat>(work); }
std::unique_ptr<Workload> unique_workload(const Work &work) { return of_type<Unique>(work); }
std::unique_ptr<Workload> sort_workload(const Work &work) { return of_type<Sort>(work); }
std::unique_ptr<Workload> sort_rows_workload(const Work &work) { return of_type<SortRows>(work); }
std::unique_ptr<Workload> merge_workload(const Work &work) { return of_type<Merge>(work); }
std::unique_ptr<Workload> merge_runs_workload(const Work &work) { return of_type<MergeRuns>(work); }
std::unique_ptr<Workload> select_workload(const Work &work) { return of_type<Select>(work); }

std::unique_ptr<Workload> histogram_workload(const Work &work) { return std::make_unique<Histogram>(work); }
std::unique_ptr<Workload> weighted_histogram_workload(const Work &work) {
    return std::make_unique<WeightedHistogram>(work);
}
std::unique_ptr<Workload> recurrence_workload(const Work &work) {
    if (work.dtype == GP_FLOAT32) return std::make_unique<Recurrence<float>>(work);
    return std::make_unique<Recurrence<double>>(work);
}
std::unique_ptr<Workload> recurrence_varying_workload(const Work &work) {
    if (work.dtype == GP_FLOAT32) return std::make_unique<RecurrenceVarying<float>>(work);
    return std::make_unique<RecurrenceVarying<double>>(work);
}

} // namespace command
