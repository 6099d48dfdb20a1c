// Products on several devices: each takes some products of a batch, or some lines of C as it is
// stored, with the factor that all lines share.
// SPDX-License-Identifier: MIT
#include "ops/deal.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

// Lines of C from share.begin on: rows of A and C, or columns of B and C.
gp_status multiply_lines(const place::Share &share, const Request &whole, const gp_matmul_options &options,
                         const Product &p) {
    const size_t size = dtype(p.dtype).size, c_size = dtype(whole.of_c()).size;
    const size_t to_factor = share.begin * whole.a.row_stride, count = share.count();
    gp_matmul_options mine = place::part_options(options);
    const bool has_bias_by_line = whole.finish && whole.finish->bias_by == Finish::Bias::kByRow;
    if (has_bias_by_line) mine.bias = element(options.bias, share.begin, c_size);
    void *const c = element(p.c, share.begin * p.ldc, c_size);
    if (whole.is_reversed)
        return gp_matmul(share.device, p.dtype, p.m, count, p.k, p.a, p.lda, element(p.b, to_factor, size), p.ldb, c,
                         p.ldc, &mine);
    return gp_matmul(share.device, p.dtype, count, p.n, p.k, element(p.a, to_factor, size), p.lda, p.b, p.ldb, c, p.ldc,
                     &mine);
}

gp_status multiply_some(const place::Share &share, const Request &whole, const gp_matmul_options &options,
                        const Product &p) {
    const size_t size = dtype(p.dtype).size, c_size = dtype(whole.of_c()).size;
    gp_matmul_options mine = place::part_options(options);
    mine.batch = share.count();
    mine.bias = element(options.bias, share.begin * options.stride_bias, c_size);
    return gp_matmul(share.device, p.dtype, p.m, p.n, p.k, element(p.a, share.begin * options.stride_a, size), p.lda,
                     element(p.b, share.begin * options.stride_b, size), p.ldb,
                     element(p.c, share.begin * options.stride_c, c_size), p.ldc, &mine);
}

} // namespace

bool deal(gp_context *context, const Request &whole, const gp_matmul_options &options, const Product &p) {
    const size_t size = dtype(p.dtype).size, c_size = dtype(whole.of_c()).size;
    const bool is_batch = whole.batch > 1;
    const bool can_be_cut = options.finish_source == nullptr && whole.n > 0; // the text sees rows and columns
    const double line_bytes = static_cast<double>(whole.k) * static_cast<double>(size) +
                              static_cast<double>(whole.n) * static_cast<double>(c_size);
    const size_t units = is_batch ? whole.batch : can_be_cut ? whole.m : 0;
    place::Deal deal(context, "matmul", units, line_bytes * (is_batch ? static_cast<double>(whole.m) : 1), options);
    if (!deal) return false;
    deal.on_devices([&](const place::Share &share, size_t) {
        return is_batch ? multiply_some(share, whole, options, p) : multiply_lines(share, whole, options, p);
    });
    deal.end();
    return true;
}

} // namespace gpcl::matmul
