// What the tests of batches share: types with accumulators, shapes, and how elements are taken from
// rows and put there.
// SPDX-License-Identifier: MIT
#pragma once

#include "every_type.h"
#include "running.h"

#include <array>

namespace test {

// The type of elements and that of their sums.
template <class In, class Sum = In> struct Pair {
    using in = In;
    using sum = Sum;
};

using RowTypes =
    testing::Types<Pair<int32_t>, Pair<float, double>, Pair<double>, Pair<int32_t, int64_t>, Pair<uint32_t, uint64_t>,
                   Pair<int8_t, int32_t>, Pair<uint8_t, uint64_t>, Pair<uint16_t, float>, Pair<reference::half, float>>;

struct RowTypeNames {
    template <class P> static std::string GetName(int) {
        return std::string(gp_dtype_name(code<typename P::in>())) + "." + gp_dtype_name(code<typename P::sum>());
    }
};

template <class P> class RowsTest : public testing::Test {
  protected:
    void SetUp() override {
        if (lacks(code<typename P::sum>())) GTEST_SKIP() << "this device can't compute float64";
    }
};

// Elements whose sums are exact in `Sum` and, where that is wider, not in `In`.
template <class In, class Sum> std::vector<In> addends(size_t n, size_t seed) {
    std::mt19937_64 random(seed);
    std::vector<In> values(n);
    for (In &value : values) {
        const auto bits = random();
        const int small = static_cast<int>(bits % 17) - (std::is_unsigned_v<In> ? 0 : 8);
        if constexpr (std::is_same_v<In, reference::half>)
            value = reference::to_half(small);
        else if constexpr (std::is_same_v<In, float> && std::is_same_v<Sum, double>)
            value = static_cast<float>(static_cast<int>(bits % (1 << 25)) - (1 << 24));
        else if constexpr (std::is_integral_v<In> && std::is_integral_v<Sum>)
            value = static_cast<In>(bits);
        else
            value = static_cast<In>(small);
    }
    return values;
}

// n elements in each of `batch` rows; as rows or as columns of a matrix, with so many elements to
// spare.
struct Shape {
    size_t n, batch;
    bool columns = false;
    size_t gap = 0;
    size_t step = 1; // of rows

    size_t stride() const { return columns ? 1 : n * step + gap; }
    size_t next() const { return columns ? batch + gap : step; }
    size_t span() const { return n == 0 ? 0 : (batch - 1) * stride() + (n - 1) * next() + 1; }
    size_t at(size_t row, size_t i) const { return row * stride() + i * next(); }
    std::string text() const {
        return std::to_string(batch) + (columns ? " columns of " : " rows of ") + std::to_string(n) + ", gap " +
               std::to_string(gap) + ", step " + std::to_string(step);
    }
};

// Each type with an accumulator is a program for each algorithm: the named ones, and the large
// shapes, are for two types.
template <class P> bool named_for() {
    return std::is_same_v<P, Pair<int32_t>> || std::is_same_v<P, Pair<float, double>>;
}

// One long row, few and many short ones, around the sizes of tiles and chunks, and columns on
// either side of vectors.
template <class P> std::vector<Shape> shapes() {
    std::vector<Shape> all = {{0, 3},
                              {1, 1},
                              {1, 300},
                              {5, 1},
                              {33, 3},
                              {7, 97, false, 2},
                              {33, 3, false, 5, 3},
                              {33, 3, true},
                              {3, 33, true, 2},
                              {50, 1, false, 0, 2},
                              {4095, 2, false, 1},
                              {4096, 3},
                              {4097, 3, false, 0, 2},
                              {3, 4099},
                              {1023, 5, true, 1},
                              {70, 1025, true},
                              {4, 1088, true},
                              {300, 5, true},
                              {1000, 17, true},
                              {33001, 2, true},
                              {40000, 2, true, 3},
                              {65537, 2, false, 7},
                              {262139, 1}};
    std::erase_if(
        all, [](const Shape &s) { return s.span() > (named_for<P>() ? max_n() : std::min<size_t>(max_n(), 20000)); });
    return all;
}

// The algorithms whose work-items read vectors, in a small shape, so that a few hundred elements
// make several parts: work-groups of two warps, on simulators less, or one work-item where there is
// no more. In their own shape again in the end.
class VectorShape {
  public:
    VectorShape(gp_operation operation, gp_dtype dtype) : operation_(operation), dtype_(dtype) {
        const size_t wanted = max_n() < 1000 ? 16 : 64;
        const size_t group = device().work_group_size < wanted ? 1 : wanted;
        for (const char *algorithm : kVectorAlgorithms) {
            set(algorithm, "group", group);
            set(algorithm, "loads", 1);
        }
        set("column-tiles", "across", 8);
    }
    VectorShape(const VectorShape &) = delete;
    ~VectorShape() {
        for (const char *algorithm : kVectorAlgorithms) {
            set(algorithm, "group", 0);
            set(algorithm, "loads", 0);
        }
        set("column-tiles", "across", 0);
    }
    static constexpr std::array<const char *, 2> kVectorAlgorithms = {"rows", "column-tiles"};

  private:
    void set(const char *algorithm, const char *name, size_t value) const {
        EXPECT_EQ(GP_SUCCESS, gp_parameter_set(context(), operation_, dtype_, algorithm, name, value));
    }
    gp_operation operation_;
    gp_dtype dtype_;
};

// On either side of vectors, of what a lane reads at a time and of parts; with every element of a
// vector the first one of a row.
inline std::vector<Shape> vector_shapes() {
    std::vector<Shape> all;
    for (const size_t n :
         {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 97, 127, 129, 255, 257, 509, 1021, 1025})
        for (const size_t batch : {1, 2, 5, 33})
            for (const bool columns : {false, true})
                if (n * batch <= std::min<size_t>(max_n(), 5000)) all.push_back({n, batch, columns, (n + batch) % 4});
    return all;
}

} // namespace test
