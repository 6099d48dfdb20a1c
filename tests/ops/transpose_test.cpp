// Transposes of matrices and batches, of elements of any size.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/gather.h"

namespace {

using namespace test;
using reference::Bytes;

struct Case {
    size_t size, rows, columns;
    size_t more_in = 0, more_out = 0; // elements between rows
    size_t batch = 1;
    size_t gap_in = 0, gap_out = 0; // elements between matrices

    size_t ld_in() const { return columns + more_in; }
    size_t ld_out() const { return rows + more_out; }
    size_t stride_in() const { return rows * ld_in() + gap_in; }
    size_t stride_out() const { return columns * ld_out() + gap_out; }
};

std::string text(const Case &c) {
    return std::to_string(c.batch) + " of " + std::to_string(c.rows) + " x " + std::to_string(c.columns) +
           " elements of " + std::to_string(c.size) + " bytes, rows of " + std::to_string(c.ld_in()) + " and " +
           std::to_string(c.ld_out());
}

size_t span(size_t rows, size_t columns, size_t ld, size_t batch, size_t stride) {
    return rows * columns == 0 ? 0 : (batch - 1) * stride + (rows - 1) * ld + columns;
}

struct Arrays {
    Bytes in, before, right;

    explicit Arrays(const Case &c) {
        std::mt19937_64 random(c.rows * 31 + c.columns);
        in.resize(span(c.rows, c.columns, c.ld_in(), c.batch, c.stride_in()) * c.size);
        before.resize(span(c.columns, c.rows, c.ld_out(), c.batch, c.stride_out()) * c.size);
        for (auto *each : {&in, &before})
            for (auto &byte : *each) byte = static_cast<unsigned char>(random());
        right = before;
        for (size_t matrix = 0; matrix < c.batch; ++matrix)
            for (size_t i = 0; i < c.rows; ++i)
                for (size_t j = 0; j < c.columns; ++j)
                    std::memcpy(right.data() + (matrix * c.stride_out() + j * c.ld_out() + i) * c.size,
                                in.data() + (matrix * c.stride_in() + i * c.ld_in() + j) * c.size, c.size);
    }
};

gp_transpose_matrix_options options_of(const Case &c, const char *algorithm) {
    gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
    options.algorithm = algorithm;
    options.batch = c.batch;
    options.stride_in = c.gap_in != 0 ? c.stride_in() : 0;
    options.stride_out = c.gap_out != 0 ? c.stride_out() : 0;
    return options;
}

void check(const Case &c, bool named = true) {
    const Arrays arrays(c);
    for (const char *algorithm : algorithms(GP_TRANSPOSE_MATRIX, named)) {
        SCOPED_TRACE(text(c) + ", " + name(algorithm));
        const auto options = options_of(c, algorithm);
        Guarded<unsigned char> in(arrays.in), out(arrays.before);
        const gp_status status = gp_transpose_matrix(context(), c.size, c.rows, c.columns, in.data(), c.ld_in(),
                                                     out.data(), c.ld_out(), &options);
        if (refused(GP_TRANSPOSE_MATRIX, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(arrays.right, out.values()));
        ASSERT_TRUE(in.intact() && out.intact()) << "a canary was overwritten";
    }
}

// `offset` elements into the buffers, whose canaries are as long.
void check_buffers(const Case &c, size_t offset, bool named = true) {
    const Arrays arrays(c);
    for (const char *algorithm : algorithms(GP_TRANSPOSE_MATRIX, named)) {
        SCOPED_TRACE(text(c) + ", on buffers from " + std::to_string(offset) + ", " + name(algorithm));
        const auto options = options_of(c, algorithm);
        DeviceArray<unsigned char> in(arrays.in, offset * c.size), out(arrays.before, offset * c.size);
        for (int again = 0; again < 3; ++again) { // what is repeated takes another way
            const gp_status status =
                gp_enqueue_transpose_matrix(context(), c.size, c.rows, c.columns, in.buffer(), offset, c.ld_in(),
                                            out.buffer(), offset, c.ld_out(), &options, 0, nullptr, nullptr);
            if (refused(GP_TRANSPOSE_MATRIX, algorithm, status)) break;
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(arrays.right, out.values()));
        }
    }
}

constexpr std::pair<size_t, size_t> kShapes[] = {{0, 5},    {3, 0},    {1, 1},    {1, 33},     {33, 1},     {2, 2},
                                                 {31, 33},  {64, 64},  {65, 63},  {127, 129},  {257, 64},   {128, 300},
                                                 {3, 1009}, {1009, 3}, {4, 5003}, {70'001, 2}, {1025, 1023}};

TEST(Transpose, EveryShape) {
    for (const auto &[rows, columns] : kShapes) {
        if (rows * columns > max_n()) continue;
        check({4, rows, columns}, rows * columns < 100'000);
        check_buffers({4, rows, columns}, 4);
        if (rows * columns < 20'000) check_buffers({1, rows, columns}, 4);
        if (HasFatalFailure()) return;
    }
}

// Aligned and not: rows of vectors, and others.
TEST(Transpose, EverySizeOfElements) {
    for (size_t size = 1; size <= 64; ++size) {
        const bool is_word = (size & (size - 1)) == 0 && size <= 16;
        if (is_brief() && !is_word && size % 12 != 0 && size != 3) continue;
        if (max_n() < 1000 && size > 4) continue;
        if (!is_word && !on_host() && size > 12 && size != 64 && !all_types()) continue;
        const size_t side = max_n() < 1000 ? 6 : 68;
        check_buffers({size, side, 2 * side}, 0, is_word || size == 12);
        check_buffers({size, side + 1, side - 1}, 1, is_word || size == 12);
        check({size, side, side / 3}, is_word);
        if (HasFatalFailure()) return;
    }
}

// Elements of one and two bytes, whose rows begin anywhere in a word of 4. Where `offset` is 0 the
// matrices end with their buffers, and Oclgrind reports what is read beyond. Of 128 x 256 all tiles
// are whole, the last one too.
TEST(Transpose, SmallElementsAnywhere) {
    for (const size_t size : {1, 2})
        for (const auto &[rows, columns] :
             {std::pair<size_t, size_t>{129, 131}, {128, 256}, {257, 64}, {3, 1009}, {1009, 3}, {2048, 5}, {5, 2048}})
            for (const size_t offset : {0, 1, 3}) {
                if (rows * columns > max_n() && offset != 0) continue;
                check_buffers({size, rows, columns, 1, 3}, offset);
                check_buffers({size, rows, columns, 0, 1, 2, 1, 0}, offset);
                if (HasFatalFailure()) return;
            }
}

TEST(Transpose, GapsBetweenRows) {
    for (const size_t more : {size_t{4}, size_t{3}}) {
        for (const auto &[rows, columns] : {std::pair<size_t, size_t>{6, 9}, {65, 132}, {200, 300}}) {
            if (rows * columns > max_n()) continue;
            check({4, rows, columns, more, 0});
            check({4, rows, columns, 0, more});
            check({2, rows, columns, more, more});
            check_buffers({8, rows, columns, more, more}, 2);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Transpose, Batches) {
    for (const auto &[rows, columns, batch] :
         {std::array<size_t, 3>{1, 1, 70}, {4, 4, 5}, {3, 5, 900}, {33, 65, 3}, {64, 64, 7}, {300, 3, 5}}) {
        if (rows * columns * batch > max_n()) continue;
        check({4, rows, columns, 0, 0, batch});
        check({4, rows, columns, 1, 2, batch, 3, 5});
        check_buffers({2, rows, columns, 2, 2, batch, 4, 4}, 2);
        check_buffers({4, rows, columns, 0, 0, batch}, 1);
        if (HasFatalFailure()) return;
    }
}

// Several of them in a vector, and parts of squares of bytes.
TEST(Transpose, SmallMatrices) {
    for (const size_t size : {1, 2, 3, 4, 8, 12})
        for (const size_t rows : {1, 2, 3, 4, 5, 8, 10, 15, 16, 17})
            for (const size_t columns : {1, 2, 4, 7, 8, 10, 16, 17})
                for (const size_t batch : {1, 2, 33}) {
                    if (rows * columns * batch > max_n() || (size > 2 && rows * columns > 40)) continue;
                    check({size, rows, columns, 0, 0, batch}, false);
                    check({size, rows, columns, 0, 1, batch, 1, 2}, false);
                    if (HasFatalFailure()) return;
                }
}

TEST(Transpose, ThinMatricesOfBytes) {
    for (const size_t thin : {2, 5, 10, 13, 15, 20, 26})
        for (const size_t wide : {33, 127, 128, 1009, 70'001}) {
            if (thin * wide > max_n() && !on_host()) continue;
            check({1, thin, wide}, false);
            check({1, wide, thin}, false);
            check({1, thin, wide, 3, 1}, false);
            check({1, wide, thin, 1, 3}, false);
            if (HasFatalFailure()) return;
        }
}

TEST(Transpose, BadArguments) {
    const int32_t in[6] = {};
    int32_t out[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    const auto call = [&](gp_status status, const char *word, size_t size, size_t ld_in, size_t ld_out, size_t batch,
                          size_t stride_out) {
        gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
        options.batch = batch;
        options.stride_out = stride_out;
        EXPECT_EQ(status, gp_transpose_matrix(context(), size, 2, 3, in, ld_in, out, ld_out, &options)) << word;
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
    };
    call(GP_ERROR_VALUE_SIZE, "element_size", 0, 3, 2, 1, 0);
    call(GP_ERROR_VALUE_SIZE, "element_size", 65, 3, 2, 1, 0);
    call(GP_ERROR_LEADING_DIMENSION, "ld_in", 4, 2, 2, 1, 0);
    call(GP_ERROR_LEADING_DIMENSION, "ld_out", 4, 3, 1, 1, 0);
    call(GP_ERROR_BATCH_STRIDE, "stride_out", 1, 3, 2, 2, 5);
    call(GP_ERROR_SIZE_OVERFLOW, "matrices of in", 4, SIZE_MAX / 2, 2, 1, 0);
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_transpose_matrix(context(), 4, 2, 3, nullptr, 3, out, 2, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_transpose_matrix(context(), 4, 2, 3, in, 3, nullptr, 2, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_transpose_matrix(context(), 4, 2, 3, out, 3, out + 2, 2, nullptr));
    for (const int32_t value : out) EXPECT_EQ(7, value);
    gp_transpose_matrix_options options = GP_TRANSPOSE_MATRIX_OPTIONS_INIT;
    options.algorithm = "none";
    EXPECT_EQ(GP_ERROR_ALGORITHM, gp_transpose_matrix(context(), 4, 2, 3, in, 3, out, 2, &options));
    EXPECT_EQ(GP_ERROR_ALGORITHM, gp_transpose_matrix(context(), 4, 0, 3, in, 3, out, 0, &options));
    DeviceArray<int32_t> buffer(std::vector<int32_t>(20));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_transpose_matrix(context(), 4, 2, 3, buffer.buffer(), 0, 3, buffer.buffer(), 22, 2, nullptr, 0,
                                          nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_transpose_matrix(context(), 4, 2, 3, buffer.buffer(), 0, 3, buffer.buffer(),
                                                            5, 2, nullptr, 0, nullptr, nullptr));
}

} // namespace
