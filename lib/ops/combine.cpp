// Operators of scan and reduce: checks, and their OpenCL C text.
// SPDX-License-Identifier: MIT
#include "ops/combine.h"

#include <array>

namespace gpcl {
namespace {

struct Limits {
    const char *largest;
    const char *lowest;
};

Limits limits(gp_dtype dtype) {
    switch (dtype) {
    case GP_INT32: return {"INT_MAX", "INT_MIN"};
    case GP_UINT32: return {"UINT_MAX", "0"};
    case GP_INT64: return {"LONG_MAX", "LONG_MIN"};
    case GP_UINT64: return {"ULONG_MAX", "0"};
    case GP_FLOAT32: return {"INFINITY", "-INFINITY"};
    default: return {"((double)INFINITY)", "(-(double)INFINITY)"};
    }
}

bool is_signed(gp_dtype dtype) { return dtype <= GP_INT64 || is_float(dtype); }

// Bits of the largest range of whole numbers that the type holds without a gap.
size_t digits(gp_dtype dtype) {
    switch (dtype) {
    case GP_FLOAT16: return 11;
    case GP_FLOAT32: return 24;
    case GP_FLOAT64: return 53;
    default: return 8 * gpcl::dtype(dtype).size - (is_signed(dtype) ? 1 : 0);
    }
}

// Does `wide` hold every value of `dtype`?
bool holds(gp_dtype wide, gp_dtype dtype) {
    return digits(wide) >= digits(dtype) && (is_float(wide) || !is_float(dtype)) &&
           (is_signed(wide) || !is_signed(dtype));
}

} // namespace

std::string Combine::preamble() const {
    if (!is_text()) return {};
    return text(helpers, "\nT gp_combine(T a, T b) { return (\n", source, "\n); }\nT gp_identity(void) { return (\n",
                identity, "\n); }");
}

std::string Combine::options(gp_dtype dtype, gp_dtype from) const {
    std::string result;
    result.reserve(256); // with what operations append
    append(result, "-DT=");
    append(result, gpcl::dtype(dtype).opencl);
    append(result, " -DGP_TYPE_SIZE=");
    append(result, gpcl::dtype(dtype).size);
    if (from != dtype) result += text(" -DGP_IN=", gpcl::dtype(from).opencl);
    if (from == GP_FLOAT16) result += " -DGP_IN_HALF";
    if (dtype == GP_FLOAT64) result += " -DGP_FLOAT64";
    if (is_text()) return result + " -DGP_OPERATOR_TEXT";
    const auto [largest, lowest] = limits(dtype);
    switch (op) {
    case GP_ADD: return result + " -DGP_ADD -DGP_IDENTITY=0";
    case GP_MULTIPLY: return result + " -DGP_MULTIPLY -DGP_IDENTITY=1";
    case GP_MINIMUM: return result + " -DGP_MINIMUM -DGP_IDENTITY=" + largest;
    default: return result + " -DGP_MAXIMUM -DGP_IDENTITY=" + lowest;
    }
}

Combine read_combine(gp_operator op, const char *source, const char *identity, const char *helpers) {
    require(op >= GP_ADD && op <= GP_MAXIMUM, GP_ERROR_OPERATOR, "options->op is ", op,
            "; expected GP_ADD, GP_MULTIPLY, GP_MINIMUM or GP_MAXIMUM");
    const auto blank = [](const char *text) {
        return text != nullptr && std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
    };
    require(!blank(source) && !blank(identity), GP_ERROR_OPERATOR,
            "options->operator_source or operator_identity is blank; expected an OpenCL C expression");
    require((source == nullptr) == (identity == nullptr), GP_ERROR_OPERATOR, "options->operator_source is ",
            source == nullptr ? "NULL" : "set", " and options->operator_identity is ",
            identity == nullptr ? "NULL" : "set", "; expected both or neither");
    require(source != nullptr || helpers == nullptr || *helpers == '\0', GP_ERROR_OPTION,
            "options->operator_helpers is set without options->operator_source; expected both, or NULL");
    Combine combine;
    combine.op = op;
    if (source != nullptr) {
        combine.source = source;
        combine.identity = identity;
        combine.helpers = helpers != nullptr ? helpers : "";
    }
    return combine;
}

gp_dtype read_sum_dtype(const cl::Context &context, gp_dtype dtype, gp_dtype accumulator, const Combine &combine) {
    const gp_dtype sum = accumulator == 0 ? dtype : accumulator;
    if (accumulator != 0) {
        require(find_dtype(dtype) != nullptr, GP_ERROR_DTYPE, "dtype is unknown (", dtype, "); expected a gp_dtype");
        require_dtype(accumulator, "options->accumulator", kSumTypes);
        require(holds(accumulator, dtype), GP_ERROR_DTYPE, "options->accumulator is ", gpcl::dtype(accumulator).name,
                ", which can't hold every ", gpcl::dtype(dtype).name);
    } else {
        require_dtype(dtype, "dtype", kSumTypes,
                      find_dtype(dtype) != nullptr ? ", or one of them as options->accumulator" : "");
    }
    require(sum != GP_FLOAT64 || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            accumulator == 0 ? "dtype" : "options->accumulator", " is float64, which ", context.info().name,
            " can't compute (it lacks cl_khr_fp64)");
    require(!combine.is_text() || !context.is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "options->operator_source is OpenCL C, which \"host\" can't run; open an OpenCL device");
    return sum;
}

} // namespace gpcl
