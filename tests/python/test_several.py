"""Contexts of several devices."""
# SPDX-License-Identifier: MIT
import gpcl
import numpy as np
import pytest


def several():
    """The selectors of the OpenCL devices of one kind."""
    found = [device for device in gpcl.devices() if device.kind != "host"]
    return [device.selector for device in found if device.kind == found[0].kind]


def test_one_device_is_its_only_one():
    with gpcl.open("host") as ctx:
        assert [device.selector for device in ctx.devices] == ["host"]
        assert ctx.on(0).sort([3, 1, 2]).tolist() == [1, 2, 3]
        with pytest.raises(gpcl.GpError):
            ctx.on(1)
        assert ctx.sort([2, 1]).tolist() == [1, 2]  # what on() gave does not close it


@pytest.mark.skipif(len(several()) < 2, reason="there are no two devices of a kind")
def test_calls_are_dealt_out(monkeypatch):
    monkeypatch.setenv("GPCL_DEAL", "1")
    keys = np.random.default_rng(1).integers(-1000, 1000, 5000).astype(np.int32)
    with gpcl.open(",".join(several())) as ctx:
        assert [device.selector for device in ctx.devices] == several()
        assert np.array_equal(ctx.sort(keys), np.sort(keys))
        assert np.array_equal(ctx.scan(keys), np.cumsum(keys, dtype=np.int32))
        assert ctx.reduce(keys) == keys.sum(dtype=np.int32)
        assert ctx.explain().startswith("reduce dealt out: ")
        assert np.array_equal(ctx.array(keys).sort().numpy(), np.sort(keys))
        one = ctx.on(1)
        assert one.device.selector == several()[1]
        assert np.array_equal(one.array(keys).sort().numpy(), np.sort(keys))
        assert np.array_equal(one.sort(keys), np.sort(keys))
        one.close()
        assert np.array_equal(ctx.sort(keys), np.sort(keys))
    with pytest.raises(gpcl.GpError, match="comes twice"):
        gpcl.open(f"{several()[0]},{several()[0]}")
