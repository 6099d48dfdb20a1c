// The gathers, scatters and transposes that gpcl bench times, and how they are checked.
// SPDX-License-Identifier: MIT
#include "bench.h"

#include <algorithm>
#include <numeric>

namespace command {

namespace {

// As many elements as positions, which are uint32 in random order, each once.
class Gather final : public Workload {
  public:
    explicit Gather(const Work &work) : n_(work.n), size_(gp_dtype_size(work.dtype)), scatters_(work.extra == 1) {
        if (n_ > UINT32_MAX) throw std::bad_alloc(); // more than positions reach
        Random random(kSeed);
        std::vector<uint32_t> order(n_);
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), random);
        add_input<uint8_t>(n_ * size_, [&] { return static_cast<uint8_t>(random()); });
        add_input<uint32_t>(n_, [at = order.begin()]() mutable { return *at++; });
        set_output(n_ * size_);
        bytes = static_cast<double>(n_) * static_cast<double>(2 * size_ + sizeof(uint32_t));
        operations = static_cast<double>(n_);
        how = "every element equals that of a loop";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return scatters_ ? gp_scatter(context, size_, n_, input<uint8_t>(0), GP_UINT32, input<uint32_t>(1), n_,
                                      output<uint8_t>(), &o)
                         : gp_gather(context, size_, n_, input<uint8_t>(0), GP_UINT32, n_, input<uint32_t>(1),
                                     output<uint8_t>(), &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return scatters_ ? gp_enqueue_scatter(context, size_, n_, input_buffer(0), 0, GP_UINT32, input_buffer(1), 0, n_,
                                              output_buffer(), 0, &o, 0, nullptr, nullptr)
                         : gp_enqueue_gather(context, size_, n_, input_buffer(0), 0, GP_UINT32, n_, input_buffer(1), 0,
                                             output_buffer(), 0, &o, 0, nullptr, nullptr);
    }
    bool right() override {
        const uint8_t *const in = input<uint8_t>(0), *const out = output<uint8_t>();
        const uint32_t *const at = input<uint32_t>(1);
        for (size_t i = 0; i < n_; ++i) {
            const size_t from = scatters_ ? i : at[i], to = scatters_ ? at[i] : i;
            if (std::memcmp(in + from * size_, out + to * size_, size_) != 0) return false;
        }
        return true;
    }

  private:
    static gp_gather_options options(const char *algorithm, gp_event **event) {
        gp_gather_options o = GP_GATHER_OPTIONS_INIT;
        o.algorithm = algorithm;
        o.event = event;
        return o;
    }

    const size_t n_, size_;
    const bool scatters_;
};

// A square matrix.
class Transpose final : public Workload {
  public:
    explicit Transpose(const Work &work) : n_(work.n), size_(gp_dtype_size(work.dtype)) {
        const auto side = static_cast<double>(n_);
        if (side * side > 0x1p40) throw std::bad_alloc(); // more than there is
        Random random(kSeed);
        add_input<uint8_t>(n_ * n_ * size_, [&] { return static_cast<uint8_t>(random()); });
        set_output(n_ * n_ * size_);
        bytes = 2 * side * side * static_cast<double>(size_);
        operations = side * side;
        how = "every element equals that of a loop";
    }
    gp_status call(gp_context *context, const char *algorithm, gp_event **event) override {
        const auto o = options(algorithm, event);
        return gp_transpose_matrix(context, size_, n_, n_, input<uint8_t>(0), n_, output<uint8_t>(), n_, &o);
    }
    gp_status enqueue(gp_context *context, const char *algorithm) override {
        const auto o = options(algorithm, nullptr);
        return gp_enqueue_transpose_matrix(context, size_, n_, n_, input_buffer(0), 0, n_, output_buffer(), 0, n_, &o,
                                           0, nullptr, nullptr);
    }
    bool right() override {
        const uint8_t *const in = input<uint8_t>(0), *const out = output<uint8_t>();
        for (size_t i = 0; i < n_; ++i)
            for (size_t j = 0; j < n_; ++j)
                if (std::memcmp(in + (i * n_ + j) * size_, out + (j * n_ + i) * size_, size_) != 0) return false;
        return true;
    }

  private:
    static gp_transpose_matrix_options options(const char *algorithm, gp_event **event) {
        gp_transpose_matrix_options o = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
        o.algorithm = algorithm;
        o.event = event;
        return o;
    }

    const size_t n_, size_;
};

} // namespace

std::unique_ptr<Workload> gather_workload(const Work &work) { return std::make_unique<Gather>(work); }
std::unique_ptr<Workload> transpose_workload(const Work &work) { return std::make_unique<Transpose>(work); }

} // namespace command
