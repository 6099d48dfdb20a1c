"""Indices of device arrays against NumPy's, reading and writing."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gpcl

INDICES = [
    np.s_[::2], np.s_[::-1], np.s_[1::3], np.s_[:, 1], np.s_[1:3, ::2], np.s_[..., -1],
    np.s_[::-2, ::-1, ::3], np.s_[0], np.s_[-1, 2, 3], np.s_[:, None, 2:1], np.s_[None, 1, ...,
                                                                                  None], np.s_[...],
    np.s_[()], np.s_[:, :, 1:], np.s_[3:0:-1, 0, 4:0:-2], np.s_[1:, 2, 3], np.s_[np.int8(1), :,
                                                                                 np.array(2)]
]


def same(result, expected):
    assert isinstance(result, gpcl.DeviceArray)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "f4", "f8"])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_parts(ctx, index, dtype):
    a = np.arange(120).reshape(4, 5, 6).astype(dtype)
    d = ctx.array(a)
    same(d[index], a[index])
    same(ctx.array(np.stack([a, a]))[1][index],
         a[index])  # of what begins in the middle of its memory
    for value in (1, np.full(a[index].shape, 3,
                             dtype), np.arange(a[index].size).reshape(a[index].shape),
                  np.array([[2]])):
        if np.ndim(value) > a[index].ndim:
            continue
        expected = a.copy()
        expected[index] = value
        of_host, of_device = ctx.array(a), ctx.array(a)
        of_host[index] = value
        same(of_host, expected)
        of_device[index] = ctx.array(np.asarray(value))
        same(of_device, expected)
    same(d, a)


@given(st.data())
def test_any_index(data):
    """Of dimensions without elements, too."""
    a = data.draw(
        hnp.arrays(np.int16, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7)))
    index = data.draw(hnp.basic_indices(a.shape, allow_newaxis=True))
    d = gpcl.default_context().array(a)
    expected = a[index]
    same(d[index], np.asarray(expected))
    d[index] = 77
    a = a.copy()
    a[index] = 77
    same(d, a)


def test_what_is_a_view(ctx):
    """Elements that lie one after the other; of others there is a copy."""
    d = ctx.array(np.arange(24, dtype=np.int32).reshape(4, 6))
    for index in (np.s_[1], np.s_[1:3], np.s_[2, 1:4], np.s_[:, :], np.s_[3, None], np.s_[::9,
                                                                                          2:4]):
        assert d[index].buffer is d.buffer
    for index in (np.s_[::2], np.s_[:, 1], np.s_[::-1], np.s_[1:3, :5]):
        assert d[index].buffer is not d.buffer
    d[::2] += 100  # read, added to, and written back
    assert d[:, 0].tolist() == [100, 6, 112, 18]


def test_parts_that_overlap_what_is_set(ctx):
    """As if the right side were read first."""
    a = np.arange(10, dtype=np.int32)
    for target, source in ((np.s_[::-1], np.s_[:]), (np.s_[1:], np.s_[:-1]),
                           (np.s_[::2], np.s_[5:]), (np.s_[:], np.s_[:])):
        d, expected = ctx.array(a), a.copy()
        d[target] = d[source]
        expected[target] = a[source]
        same(d, expected)


def test_what_is_refused(ctx):
    d = ctx.array(np.arange(12, dtype=np.int32).reshape(3, 4))
    for index in ([0, 1], np.array([0, 1]), d > 3, d, np.arange(12).reshape(3, 4)
                  > 3, True, (0, [1]), 1.0, "x"):
        with pytest.raises(TypeError, match="integers, slices, None"):
            d[index]
        with pytest.raises(TypeError, match="integers, slices, None"):
            d[index] = 1
    for index in (3, -4, (0, 4), (0, 0, 0), (..., ...)):
        with pytest.raises(gpcl.GpIndexError):
            d[index]
    with pytest.raises(ValueError, match="step"):
        d[::0]
    for index, value in ((np.s_[::2], np.zeros(3)), (np.s_[:, 1], np.zeros(
        (2, 3))), (np.s_[0], ctx.zeros(3)), (np.s_[::2], 0.5)):
        with pytest.raises(ValueError):
            d[index] = value
    with gpcl.open("host") as other, pytest.raises(ValueError, match="contexts"):
        d[::2] = other.zeros((2, 4), np.int32)
    assert d.tolist() == np.arange(12).reshape(3, 4).tolist()
