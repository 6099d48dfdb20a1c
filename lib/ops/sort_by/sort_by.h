// The sort by the caller's order: its request, and how it runs on OpenCL devices.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/counted.h"

namespace gpcl::sort_by {

// A checked call.
struct Request {
    size_t n = 0;
    Counted counted;
    size_t size = 0;  // of an element
    size_t word = 1;  // 1, 2, 4 or 8, which divides the size and the address of every element
    std::string text; // defines GpElement and gp_comes_before
    cl::Operand elements;
};

// The program text of an order.
std::string order_text(const char *type, const char *comes_before, const char *helpers);

void run(cl::Task &task, const Request &request);

} // namespace gpcl::sort_by
