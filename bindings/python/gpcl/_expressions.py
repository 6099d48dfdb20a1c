"""What is computed element by element: NumPy's functions, and OpenCL C for each."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Operation(NamedTuple):
    """NumPy's function, and OpenCL C expressions of x, y and z for integers and for floats; ""
    where it takes none. T is the type in which they are computed, U for integers that without a
    sign, in which sums and products wrap."""

    function: Any
    integers: str
    floats: str


def _both(function: Any, expression: str) -> Operation:
    return Operation(function, expression, expression)


def _floats(function: Any, expression: str) -> Operation:
    return Operation(function, "", expression)


OPERATIONS = {
    "add": Operation(np.add, "(U)x + (U)y", "x + y"),
    "subtract": Operation(np.subtract, "(U)x - (U)y", "x - y"),
    "multiply": Operation(np.multiply, "(U)x * (U)y", "x * y"),
    "divide": _floats(np.true_divide, "x / y"),
    "floor_divide": _both(np.floor_divide, "quotient(x, y)"),
    "remainder": _both(np.remainder, "rest(x, y)"),
    "pow": Operation(np.power, "power(x, y)", "pow(x, y)"),
    "maximum": Operation(np.maximum, "x > y ? x : y", "x >= y || isnan(x) ? x : y"),
    "minimum": Operation(np.minimum, "x < y ? x : y", "x <= y || isnan(x) ? x : y"),
    "bitwise_and": Operation(np.bitwise_and, "x & y", ""),
    "bitwise_or": Operation(np.bitwise_or, "x | y", ""),
    "bitwise_xor": Operation(np.bitwise_xor, "x ^ y", ""),
    "bitwise_invert": Operation(np.invert, "~x", ""),
    "bitwise_left_shift": Operation(np.left_shift, "(U)y < 8 * sizeof(T) ? (U)x << y : 0", ""),
    "bitwise_right_shift": Operation(np.right_shift, "(U)y < 8 * sizeof(T) ? x >> y : -(x < 0)",
                                     ""),
    "less": _both(np.less, "x < y"),
    "less_equal": _both(np.less_equal, "x <= y"),
    "greater": _both(np.greater, "x > y"),
    "greater_equal": _both(np.greater_equal, "x >= y"),
    "equal": _both(np.equal, "x == y"),
    "not_equal": _both(np.not_equal, "x != y"),
    "logical_and": _both(np.logical_and, "x != 0 && y != 0"),
    "logical_or": _both(np.logical_or, "x != 0 || y != 0"),
    "logical_xor": _both(np.logical_xor, "(x != 0) != (y != 0)"),
    "logical_not": _both(np.logical_not, "x == 0"),
    "where": _both(np.where, "x != 0 ? y : z"),
    "positive": _both(np.positive, "x"),
    "negative": Operation(np.negative, "0 - (U)x", "-x"),
    "abs": Operation(np.absolute, "x < 0 ? 0 - (U)x : (U)x", "fabs(x)"),
    "sign": Operation(np.sign, "(x > 0) - (x < 0)", "isnan(x) ? x : (T)((x > 0) - (x < 0))"),
    "square": Operation(np.square, "(U)x * (U)x", "x * x"),
    "isnan": Operation(np.isnan, "0", "isnan(x)"),
    "isinf": Operation(np.isinf, "0", "isinf(x)"),
    "isfinite": Operation(np.isfinite, "1", "isfinite(x)"),
    "signbit": _floats(np.signbit, "signbit(x)"),
    "reciprocal": _floats(np.reciprocal, "1 / x"),
    "round": _floats(np.rint, "rint(x)"),
    "atan2": _floats(np.arctan2, "atan2(x, y)"),
    "copysign": _floats(np.copysign, "copysign(x, y)"),
    "hypot": _floats(np.hypot, "hypot(x, y)"),
    "logaddexp": _floats(np.logaddexp,
                         "x == y ? x + log((T)2) : fmax(x, y) + log1p(exp(-fabs(x - y)))"),
    **{name: _floats(getattr(np, numpys), f"{name}(x)") for name, numpys in (
        ("acos", "arccos"), ("acosh", "arccosh"), ("asin", "arcsin"), ("asinh", "arcsinh"),
        ("atan", "arctan"), ("atanh", "arctanh"), ("ceil", "ceil"), ("cos", "cos"),
        ("cosh", "cosh"), ("exp", "exp"), ("expm1", "expm1"), ("floor", "floor"), ("log", "log"),
        ("log10", "log10"), ("log1p", "log1p"), ("log2", "log2"), ("sin", "sin"), ("sinh", "sinh"),
        ("sqrt", "sqrt"), ("tan", "tan"), ("tanh", "tanh"), ("trunc", "trunc"))},
}

# As NumPy's: quotients are rounded down, a rest has the divisor's sign, an integer over 0 is 0.
INTEGER_HELPERS = """
bool is_minus_one(T y) { return (T)-1 < 0 && y == (T)-1; }
T quotient(T x, T y) {
    if (y == 0) return 0;
    if (is_minus_one(y)) return (T)(0 - (U)x); // the least number has no opposite
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
T rest(T x, T y) {
    if (y == 0 || is_minus_one(y)) return 0;
    T r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
T power(T x, T y) {
    U result = 1, square = (U)x;
    for (U left = (U)y; left != 0; left >>= 1, square *= square) {
        if (left & 1) result *= square;
    }
    return (T)result;
}
"""
FLOAT_HELPERS = """
T quotient(T x, T y) {
    if (y == 0) return x / y;
    T r = fmod(x, y), q = (x - r) / y;
    if (r != 0 && (y < 0) != (r < 0)) q -= 1;
    if (q == 0) return copysign((T)0, x / y);
    T down = floor(q);
    return q - down > (T)0.5 ? down + 1 : down;
}
T rest(T x, T y) {
    T r = fmod(x, y);
    if (r == 0) return copysign((T)0, y);
    return (y < 0) != (r < 0) ? r + y : r;
}
"""
HELPED = ("quotient(", "rest(", "power(")  # what begins an expression that uses them
