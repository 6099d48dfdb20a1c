"""Products that finish their results: biases of every shape that NumPy adds, activations, texts, results in other layouts."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import gpcl

SHAPES = [((5, 7), (7, 6)), ((7,), (7, 6)), ((5, 7), (7,)), ((3, 5, 7), (3, 7, 6)), ((3, 5, 7), (7, 6)), ((2, 3, 5, 7), (2, 3, 7, 6)),
          ((3, 5, 7), (7,)), ((7,), (7,))]


def whole_numbers(shape, dtype, range_=4):
    return np.random.default_rng(sum(shape)).integers(-range_, range_ + 1, shape).astype(dtype)


def biases(a, b, dtype):
    """One of each shape that the result of a @ b takes."""
    shape = np.matmul(a, b).shape
    shapes = [shape[-1:]]
    if a.ndim > 1 and b.ndim > 1:
        *batch, m, n = shape
        shapes += [(m, 1), (1, n), (*batch, 1, n), (*batch, m, 1)]
    return [whole_numbers(each, dtype, 5) for each in shapes]


def no_texts():
    return gpcl.default_context().device.kind == "host"


@pytest.mark.parametrize("dtype", ["f4", "i4", "i2", "f2"])
@pytest.mark.parametrize("shape_a, shape_b", SHAPES)
def test_bias_as_numpy_adds_it(dtype, shape_a, shape_b):
    a, b = whole_numbers(shape_a, dtype), whole_numbers(shape_b, dtype)
    product = np.matmul(a, b)
    for bias in biases(a, b, dtype):
        np.testing.assert_array_equal(gpcl.matmul(a, b, bias=bias), product + bias)
        np.testing.assert_array_equal(gpcl.matmul(a, b, bias=bias, activation="relu"), np.maximum(product + bias, 0))
        np.testing.assert_array_equal(gpcl.matmul(a, b, bias=bias.tolist(), clamp=(-3, None)), np.maximum(product + bias, -3))
    np.testing.assert_array_equal(gpcl.matmul(a, b, clamp=(-2, 3)), np.clip(product, -2, 3))


@pytest.mark.parametrize("shape_a, shape_b", SHAPES)
def test_device_arrays(shape_a, shape_b):
    context = gpcl.default_context()
    a, b = whole_numbers(shape_a, "f4"), whole_numbers(shape_b, "f4")
    product, d, e = np.matmul(a, b), context.array(a), context.array(b)
    for bias in biases(a, b, "f4"):
        np.testing.assert_array_equal(d.matmul(e, bias=bias, clamp=(None, 4)).numpy(), np.minimum(product + bias, 4))
        np.testing.assert_array_equal(gpcl.matmul(d, e, bias=context.array(bias), activation="relu").numpy(),
                                      np.maximum(product + bias, 0))


def test_gelu():
    x = np.linspace(-6, 6, 101, dtype=np.float32).reshape(1, -1)
    z = np.sqrt(2 / np.pi) * (x.astype(float) + 0.044715 * x.astype(float) ** 3)
    near = x / 2 * (1 + np.tanh(z))
    np.testing.assert_allclose(gpcl.matmul([[np.float32(1)]], x, activation="gelu-tanh"), near, atol=1e-6)
    np.testing.assert_allclose(gpcl.matmul([[np.float32(1)]], x, activation="gelu"), near, atol=1e-3)


def test_texts():
    if no_texts():
        with pytest.raises(gpcl.GpError, match="OpenCL C"):
            gpcl.matmul([[1.0]], [[1.0]], finish="x")
        return
    a, b = whole_numbers((4, 5), "f4"), whole_numbers((5, 3), "f4")
    i, j = np.indices((4, 3))
    got = gpcl.matmul(a, b, bias=[1, 2, 3], finish="twice(x) + b + i - 2 * (T)j", helpers="T twice(T x) { return x + x; }")
    np.testing.assert_array_equal(got, 2 * (a @ b) + [1, 2, 3] + i - 2 * j)
    np.testing.assert_array_equal(gpcl.matmul(a, b, semiring=("a + b", "fabs(a - b)", 0, 0)),
                                  np.abs(a[:, :, None] - b).sum(axis=1))
    with pytest.raises(gpcl.GpError) as error:
        gpcl.matmul(a, b, finish="no_such_name")
    assert "no_such_name" in error.value.build_log


def test_results_in_other_layouts():
    a, b = whole_numbers((4, 5), "f8"), whole_numbers((5, 6), "f8")
    out = np.full((6, 4), 2.0).T
    assert gpcl.matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, a @ b)
    gpcl.matmul(a, b, out=out, beta=2, bias=[1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(out, 3 * (a @ b) + [1, 2, 3, 4, 5, 6])
    out = np.zeros((7, 9))[:6, 1:5].T
    gpcl.matmul(a, b, out=out)
    np.testing.assert_array_equal(out, a @ b)


@pytest.mark.parametrize("options, message", [
    ({"bias": np.ones(4)}, "for each column, \\(6,\\), or for each row, \\(4, 1\\)"),
    ({"bias": np.ones((4, 6))}, "for each column"),
    ({"bias": np.ones(6, complex)}, "complex"),
    ({"activation": "relux"}, "did you mean 'relu'"),
    ({"activation": "relu", "clamp": (0, 1)}, "expected one of them"),
    ({"clamp": (3, 1)}, "low <= high"),
    ({"semiring": ("a + b",)}, "plus, times, zero and one")])
def test_refusals(options, message):
    with pytest.raises(gpcl.GpError, match=message):
        gpcl.matmul(np.ones((4, 5)), np.ones((5, 6)), **options)


def test_types_that_are_computed_in_others():
    with pytest.raises(gpcl.GpError, match="computed in int32"):
        gpcl.matmul(np.ones((2, 2), "u2"), np.ones((2, 2), "u2"), activation="relu")
    with pytest.raises(gpcl.GpError, match="expected int32"):
        gpcl.matmul(np.ones((2, 2), "i4"), np.ones((2, 2), "i4"), bias=[0.5, 1])
