"""Sorts of segments by offsets, of NumPy arrays and of device arrays."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import gpcl


def _expected(a, begins, ends, key=np.sort):
    result = a.copy()
    for begin, end in zip(begins, ends):
        result[begin:end] = key(a[begin:end])
    return result


def _segments(seed, gap):
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 60, 80)
    lengths[7] = 3000
    begins = np.cumsum(lengths + gap) - lengths
    a = random.integers(0, 50, begins[-1] + lengths[-1] + 9)
    return a, begins, begins + lengths


@pytest.fixture(params=["host arrays", "device arrays"])
def give(request):
    """What makes of a NumPy array the kind that is given to the library."""
    if request.param == "host arrays":
        return lambda a: a
    return gpcl.default_context().array


@pytest.mark.parametrize("type_", [np.int32, np.float64, np.uint8])
@pytest.mark.parametrize("offset_type", [np.int32, np.uint64, np.int16])
def test_sorts_each_segment(give, type_, offset_type):
    a, begins, ends = _segments(1, 0)
    a = a.astype(type_)
    offsets = np.append(begins, ends[-1]).astype(offset_type)
    before = give(a)
    result = gpcl.sort(before, segments=offsets)
    np.testing.assert_array_equal(np.asarray(result), _expected(a, begins, ends))
    np.testing.assert_array_equal(np.asarray(before), a)
    order = np.asarray(gpcl.argsort(give(a), segments=offsets))
    for begin, end in zip(begins, ends):
        np.testing.assert_array_equal(order[begin:end], np.argsort(a[begin:end], kind="stable"))
    assert not order[ends[-1]:].any()


def test_gaps_stay_as_they_are(give):
    a, begins, ends = _segments(2, 3)
    values = np.arange(a.size, dtype=np.float32)
    keys, moved = gpcl.sort_pairs(give(a), give(values), segments=(begins, ends))
    np.testing.assert_array_equal(np.asarray(keys), _expected(a, begins, ends))
    order = np.arange(a.size)
    for begin, end in zip(begins, ends):
        order[begin:end] = begin + np.argsort(a[begin:end], kind="stable")
    np.testing.assert_array_equal(np.asarray(moved), values[order])


def test_offsets_on_the_device(give):
    a, begins, ends = _segments(3, 0)
    offsets = np.append(begins, ends[-1])
    given = give(a)
    device = gpcl.default_context().array(offsets) if not isinstance(given, np.ndarray) else offsets
    np.testing.assert_array_equal(np.asarray(gpcl.sort(given, segments=device, descending=True)),
                                  _expected(a, begins, ends, lambda part: np.sort(part)[::-1]))


def test_no_segments(give):
    a = np.array([3, 1, 2])
    np.testing.assert_array_equal(np.asarray(gpcl.sort(give(a), segments=[0])), a)
    np.testing.assert_array_equal(np.asarray(gpcl.sort(give(a), segments=([], []))), a)


def test_wrong_offsets():
    a = np.array([3, 1, 2])
    with pytest.raises(gpcl.GpError, match=r"offsets\[2\] is 1; expected 2 to 3"):
        gpcl.sort(a, segments=[0, 2, 1, 3])
    with pytest.raises(gpcl.GpError, match=r"offsets\[1\] is 4"):
        gpcl.sort(a, segments=[0, 4])
    for segments in ([], [0.5, 3], [[0, 3]], ([0], [1, 2])):
        with pytest.raises(gpcl.GpError):
            gpcl.sort(a, segments=segments)
    with pytest.raises(gpcl.GpError):
        gpcl.sort(a.reshape(1, 3), segments=[0, 3])
