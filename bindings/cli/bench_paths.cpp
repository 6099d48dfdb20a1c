// The shortest paths that gpcl bench looks for, and how they are checked.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <algorithm>
#include <limits>

namespace command {

namespace {

// Between all pairs of nodes there is an edge of 1 to 1000, so that sums are exact.
template <typename T> class Paths final : public Workload {
  public:
    explicit Paths(const Work &work) : n_(work.n) {
        const auto side = static_cast<double>(n_);
        if (side * side > 0x1p40) throw std::bad_alloc(); // more than there is
        Random random(kSeed);
        add_input<T>(n_ * n_, [&] { return static_cast<T>(random() % 1000 + 1); });
        set_output(n_ * n_ * sizeof(T));
        bytes = 2 * side * side * sizeof(T);
        operations = 2 * side * side * side;
        // As many as take some 2^26 steps, at least 3.
        const size_t count = std::min(n_, std::max<size_t>(3, (size_t{1} << 26) / std::max<size_t>(n_ * n_, 1)));
        for (size_t i = 0; i < count; ++i) nodes_.push_back(count == n_ ? i : random() % n_);
        how = (count == n_ ? "every path" : "the paths from " + std::to_string(count) + " random nodes") +
              " as long as by Dijkstra's algorithm";
    }

    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_paths(context, dtype_of<T>(), n_, input<T>(0), n_, output<T>(), n_, nullptr, n_, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_paths(context, dtype_of<T>(), n_, input_buffer(0), 0, n_, output_buffer(), 0, n_, nullptr, 0,
                                n_, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        return std::all_of(nodes_.begin(), nodes_.end(), [&](size_t node) { return right_from(node); });
    }

  private:
    static gp_paths_options options(const char *algorithm, gp_event **event) {
        gp_paths_options o = GP_PATHS_OPTIONS_INIT;
        o.algorithm = algorithm;
        o.event = event;
        return o;
    }

    bool right_from(size_t node) {
        constexpr T kNone = std::numeric_limits<T>::max(); // longer than any path
        std::vector<T> lengths(n_, kNone);
        std::vector<char> done(n_);
        lengths[node] = 0;
        for (size_t step = 0; step < n_; ++step) {
            size_t next = n_;
            for (size_t i = 0; i < n_; ++i)
                if (!done[i] && (next == n_ || lengths[i] < lengths[next])) next = i;
            done[next] = 1;
            const T *const edges = input<T>(0) + next * n_;
            for (size_t j = 0; j < n_; ++j)
                if (!done[j]) lengths[j] = std::min(lengths[j], static_cast<T>(lengths[next] + edges[j]));
        }
        return std::equal(lengths.begin(), lengths.end(), output<T>() + node * n_);
    }

    const size_t n_;
    std::vector<size_t> nodes_;
};

} // namespace

std::unique_ptr<Workload> paths_workload(const Work &work) {
    switch (work.dtype) {
    case GP_FLOAT64: return std::make_unique<Paths<double>>(work);
    case GP_INT32: return std::make_unique<Paths<int32_t>>(work);
    case GP_INT16: return std::make_unique<Paths<int16_t>>(work);
    default: return std::make_unique<Paths<float>>(work);
    }
}

} // namespace command
