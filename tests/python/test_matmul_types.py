"""Products of int8, uint8 and bfloat16, and results of another type than the factors."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import gpcl
from gpcl import Status


def random(shape, dtype):
    return np.random.default_rng(7).integers(0, 256, shape).astype(np.uint8).view(np.int8).astype(dtype)


A, B = random((33, 40), np.int8), random((40, 35), np.int8)
WHOLE = A.astype(np.int32) @ B.astype(np.int32)


def bfloats(x):
    """bfloat16 of numbers that it holds exactly."""
    return (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).view(gpcl.bfloat16)


def test_bytes():
    np.testing.assert_array_equal(gpcl.matmul(A, B), A @ B)
    u = A.view(np.uint8)
    np.testing.assert_array_equal(gpcl.matmul(u, u.T), u @ u.T)
    np.testing.assert_array_equal(gpcl.matmul(A, B, clamp=(-128, 127)), np.clip(WHOLE, -128, 127))
    np.testing.assert_array_equal(gpcl.matmul(A, B, semiring="or-and"), ((A != 0).astype(int) @ (B != 0) > 0).astype(np.int8))


@pytest.mark.parametrize("dtype", [np.int32, "i4", np.float32, np.int64])
def test_dtype(dtype):
    if dtype == np.int64:
        with pytest.raises(gpcl.GpTypeError):  # whose products there are not
            gpcl.matmul(A, B, dtype=dtype)
        return
    result = gpcl.matmul(A, B, dtype=dtype)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, WHOLE)


def test_of_halves_and_shorts():
    h = A.astype(np.float16) / 16
    result = gpcl.matmul(h, h.T, dtype="f4", bias=np.arange(33), activation="relu")
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, np.maximum(h.astype("f4") @ h.T.astype("f4") + np.arange(33), 0), rtol=1e-5, atol=1e-4)
    s = A.astype(np.int16) * 200
    np.testing.assert_array_equal(gpcl.matmul(s, s.T, dtype=np.int32), s.astype("i4") @ s.T.astype("i4"))


def test_out():
    out = np.ones((33, 35), np.int32)
    assert gpcl.matmul(A, B, out, dtype=np.int32, alpha=-3, beta=2) is out
    np.testing.assert_array_equal(out, 2 - 3 * WHOLE)
    with pytest.raises(gpcl.GpTypeError, match="expected int8"):
        gpcl.matmul(A, B, out)


def test_on_the_device():
    context = gpcl.default_context()
    a, b = context.array(A), context.array(B)
    np.testing.assert_array_equal(a.matmul(b, dtype=np.int32).numpy(), WHOLE)
    np.testing.assert_array_equal(a.matmul(b).numpy(), A @ B)
    with pytest.raises(gpcl.GpTypeError, match="int8 is of that type, or int32"):
        a.matmul(b, dtype=np.float32)
    halves = context.array(A.astype(np.float16))
    np.testing.assert_array_equal(halves.matmul(halves, dtype=np.float32, transpose_b=True).numpy(), A.astype("f4") @ A.T.astype("f4"))


def test_bfloat16():
    x = np.arange(16).reshape(4, 4)
    context = gpcl.default_context()
    d = context.array(bfloats(x))
    assert d.dtype == gpcl.bfloat16 == context.empty(3, "bfloat16").dtype
    np.testing.assert_array_equal(d.matmul(d, dtype=np.float32).numpy(), x @ x)
    np.testing.assert_array_equal(d.matmul(d).numpy().view(np.uint16), bfloats(x @ x).view(np.uint16))
    np.testing.assert_array_equal(gpcl.matmul(bfloats(x), bfloats(x), dtype="f4", alpha=0.5), x @ x / 2)
    with pytest.raises(gpcl.GpTypeError, match="is bfloat16; expected one of") as failure:
        d.sort()
    assert failure.value.status == Status.ERROR_DTYPE


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert gpcl.bfloat16 == ml_dtypes.bfloat16
    q = np.arange(6).astype(ml_dtypes.bfloat16).reshape(2, 3)
    np.testing.assert_array_equal(gpcl.matmul(q, q.T).astype(np.float32), [[5, 14], [14, 50]])
    np.testing.assert_array_equal(gpcl.matmul(q, q.T, bias=[1, 2]).astype(np.float32), [[6, 16], [15, 52]])


@pytest.mark.parametrize("call", [lambda: gpcl.matmul(A, B, semiring="min-plus"),
                                  lambda: gpcl.matmul(A.astype(np.float16), B.astype(np.float16), dtype=np.int32)])
def test_refusals(call):
    with pytest.raises(gpcl.GpTypeError):
        call()
