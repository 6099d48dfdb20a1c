"""gpcl.open("auto"): calls on NumPy arrays run where they end first."""
# SPDX-License-Identifier: MIT
import numpy as np

import gpcl


def test_auto(monkeypatch, tmp_path):
    monkeypatch.setenv("GPCL_PLACES", str(tmp_path / "places"))
    assert gpcl.places_file() == str(tmp_path / "places")
    with gpcl.open("auto") as context:
        there = context.device.kind != "host"
        assert context.device.selector == ("auto" if there else "host")
        keys = np.array([3, 1, 2], np.int32)
        assert context.sort(keys).tolist() == [1, 2, 3]
        if not there:
            assert context.explain().startswith("every call runs on host")
            return
        assert context.explain().startswith("sort of 3 keys, int32: on "), context.explain()
        assert (tmp_path / "places").read_text().startswith("gpcl places 1\n")
        # Operators in OpenCL C are the device's, and so are its arrays.
        assert context.scan(keys, "a + b", identity="0", dtype=np.int32).tolist() == [3, 4, 6]
        assert context.device.name in context.explain() and "OpenCL C" in context.explain()
        assert context.array(keys).numpy().tolist() == [3, 1, 2]
