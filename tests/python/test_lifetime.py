"""Objects go in any order, processes fork and end, threads share: nothing hangs, crashes or speaks."""
# SPDX-License-Identifier: MIT
import asyncio
import gc
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import gpcl
from gpcl import Status

PATIENCE = int(os.environ.get("GPCL_TEST_PATIENCE", "1"))  # limits of time grow with the machine's load


def run(program, **environment):
    """Runs a program of its own; returns what it wrote. Fails when it crashed, hung, or wrote errors."""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", "import gpcl, os, sys, gc, threading\nimport numpy as np\n" +
                           textwrap.dedent(program)], capture_output=True, text=True, timeout=120 * PATIENCE,
                          env={**os.environ, **environment})
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr)
    return done.stdout


@pytest.mark.parametrize("order", list(itertools.permutations(["ctx", "d", "e", "event"])))
def test_any_order(order):
    ctx = gpcl.open()
    d = ctx.array(np.arange(100))
    with ctx.record() as events:
        e = d.sort(descending=True)
    objects = {"ctx": ctx, "d": d.buffer, "e": e.buffer, "event": events.pop()}
    del ctx, d, e, events
    for name in order:
        objects[name].close()
        objects[name].close()
        objects.pop(name)


def test_what_is_closed_says_so():
    ctx = gpcl.open()
    d = ctx.array([1.0])
    ctx.close()
    for call in (lambda: ctx.sort([1]), lambda: ctx.array([1]), d.scan, lambda: ctx.device):
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.status == Status.ERROR_HANDLE
    assert d.numpy() == 1  # a buffer keeps what it needs
    assert "closed" in repr(ctx)


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.uint8])
def test_pinned_arrays(ctx, dtype):
    if np.dtype(dtype) == np.float64 and not ctx.device.has_float64:
        pytest.skip("the device has no float64")
    a = ctx.empty_host((300, 50), dtype)
    assert a.shape == (300, 50) and a.dtype == dtype and a.flags.c_contiguous and a.flags.writeable
    a[:] = np.arange(300 * 50).reshape(300, 50) % 101
    assert (ctx.array(a).numpy() == a).all()
    part = a.reshape(-1)[5:10000]
    del a  # a part keeps the memory
    gc.collect()
    assert (ctx.sort(part.astype(np.int32)) == np.sort(part)).all() and part[0] == 5


def test_pinned_arrays_outlive_their_context():
    with gpcl.open() as ctx:
        a = ctx.empty_host(1000, np.int32)
        a[:] = 7
    assert (a == 7).all()
    a[:] = np.arange(1000)
    assert gpcl.sort(a)[-1] == 999


def test_pinned_arrays_of_no_elements_and_of_bad_shapes(ctx):
    assert ctx.empty_host((0, 3)).shape == (0, 3)
    for shape, dtype in [((2**40, 2**40), np.int8), (-1, np.int8), (3, object)]:
        with pytest.raises((ValueError, TypeError, MemoryError)):
            ctx.empty_host(shape, dtype)


def test_arrays_are_pinned_while_a_block_runs(ctx):
    a = np.arange(10000, dtype=np.int32)
    with ctx.pinned(a) as same:
        assert same is a
        assert (ctx.array(a).numpy() == a).all()
        with pytest.raises(ValueError) as caught, ctx.pinned(a[100:200]):
            pass
        assert caught.value.status == Status.ERROR_PINNED
    with ctx.pinned(a), ctx.pinned(np.empty(0)):  # again, and nothing
        pass
    with pytest.raises(ValueError), ctx.pinned(a[::2]):
        pass
    with gpcl.open() as closed, closed.pinned(a):
        closed.close()  # which unpins as well


def test_memory_of_pinned_arrays_is_given_back(ctx):
    for _ in range(200):
        ctx.empty_host(1 << 20, np.uint8)[:] = 1
    with open("/proc/self/statm", encoding="ascii") as file:
        before = int(file.read().split()[1])
    for _ in range(1000):
        ctx.empty_host(1 << 20, np.uint8)[:] = 1
    with open("/proc/self/statm", encoding="ascii") as file:
        assert int(file.read().split()[1]) - before < 16384  # pages


def test_the_default_context_comes_back():
    mine = gpcl.open("host")
    gpcl.set_default_context(mine)
    assert gpcl.default_context() is mine
    mine.close()
    assert gpcl.sort([2, 1]).tolist() == [1, 2]
    assert gpcl.default_context() is not mine


def test_exit_with_live_objects():
    assert run("""
        ctx = gpcl.open()
        d = ctx.array(np.arange(100000, dtype=np.int32))
        loop = [ctx, d]; loop.append(loop)          # goes with the interpreter only
        sys.modules["kept"] = gpcl.open().array([1.0])
        with ctx.record() as events: e = d.sort().scan()
        print("done")
    """) == "done\n"


def test_exit_of_the_module_alone():
    assert run("""
        d = gpcl.default_context().array([1.0])
        for name in [n for n in sys.modules if n.startswith("gpcl")]: del sys.modules[name]
        del gpcl; gc.collect(); del d; gc.collect()
        print("done")
    """) == "done\n"


FORK = """
    ctx = gpcl.default_context(); d = ctx.array([3.0, 1.0]); e = d.sort()
    few = np.arange(3.0); ctx.sort(few)
    child = os.fork()
    if child == 0:
        with ctx.record(): pass
        for use in (d.numpy, ctx.finish, lambda: d.sort(), lambda: ctx.sort(few), lambda: ctx.argmin(few)):
            try: use(); os._exit(2)
            except ValueError as error: assert "forked" in str(error)
        del d, e; gc.collect()
        with gpcl.open("host") as host: assert host.sort([2, 1]).tolist() == [1, 2]
        try: assert gpcl.sort([2, 1]).tolist() == [1, 2] and os.environ["GPCL_DEVICE"] == "host"
        except gpcl.GpError as error: assert "forked" in str(error) and os.environ["GPCL_DEVICE"] != "host", error
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert e.numpy().tolist() == [1, 3]
    print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork():
    assert run(FORK) == "done\n"


def test_threads_share_a_context():
    ctx = gpcl.default_context()
    failures = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(10):
            a = random.integers(-1000, 1000, 2000).astype(np.int32)
            d = ctx.array(a)
            if not (np.array_equal(ctx.sort(a), np.sort(a)) and np.array_equal(d.scan().numpy(), np.cumsum(a))):
                failures.append(seed)
            try:
                ctx.sort(a, algorithm=f"none-{seed}")
            except ValueError as error:  # each thread has its own message
                if f"none-{seed}" not in str(error):
                    failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_closed_by_another_thread():
    """Calls under way end well; the next one says that the context is closed."""
    ctx, done = gpcl.open(), []

    def work():
        try:
            while True:
                ctx.sort(np.arange(1000))
                done.append(1)
        except ValueError as error:
            assert error.status == Status.ERROR_HANDLE
            done.append("closed")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(done) < 10:
        time.sleep(0.001)
    ctx.close()
    for thread in threads:
        thread.join()
    assert done.count("closed") == 3


def test_each_thread_has_its_own_build_log(opencl):
    logs = {}

    def work(name):
        try:
            opencl.kernel(f"kernel void f() {{ {name}; }}", "f")
        except gpcl.GpError as error:
            gc.collect()  # what is freed here clears the message of the library, not of the exception
            logs[name] = error.build_log

    threads = [threading.Thread(target=work, args=(f"missing_{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(logs) == 4 and all(name in log for name, log in logs.items())


def test_other_threads_run_meanwhile():
    """The interpreter is free while the library works: a thread that counts goes on counting."""
    a = np.random.default_rng(0).integers(0, 2**31, 2**18).astype(np.int32)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    sys.setswitchinterval(100)  # so that threads run only where another gives the interpreter away
    thread = threading.Thread(target=count)
    try:
        thread.start()
        start = counted[0]
        for _ in range(100):
            gpcl.sort(a, out=a)  # in place: NumPy, which gives it away too, has no part in it
            if counted[0] > start:
                break
        end = counted[0]
    finally:
        stop.set()
        sys.setswitchinterval(before)
        thread.join()
    assert end > start


def held_back(ctx, theirs):
    """An array with work that begins when the second result is told so, and that."""
    cl = pytest.importorskip("pyopencl")
    held = cl.UserEvent(theirs)
    d = ctx.array(np.arange(3000, dtype=np.int32))
    ctx.wait_for(ctx.wrap_event(held))
    return d, lambda: held.set_status(cl.command_execution_status.COMPLETE)


@pytest.fixture
def shared(pyopencl):
    """A context on pyopencl's objects, and the cl_context."""
    cl, device = pyopencl
    theirs = cl.Context([device])
    with gpcl.open_opencl(theirs, device, cl.CommandQueue(theirs)) as ctx:
        yield ctx, theirs


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer here")
@pytest.mark.parametrize("wait", ["event", "read", "transfer", "finish"])
def test_ctrl_c_ends_a_wait(shared, wait):
    """The work goes on, and what it writes stays where it is."""
    ctx, _ = shared
    d, release = held_back(*shared)
    with ctx.record() as events:
        result = d.sort(descending=True)
    out = np.zeros(3000, np.int32)
    call = {"event": events[-1].wait, "read": lambda: result.numpy(out), "finish": ctx.finish,
            "transfer": lambda: result.enqueue_read(out).wait()}[wait]
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        assert not events[-1].done
        gc.collect()
        release()
    assert result.numpy().tolist() == list(range(2999, -1, -1))
    if wait == "transfer":
        assert out.tolist() == list(range(2999, -1, -1))


def test_other_coroutines_run_while_one_awaits(shared):
    ctx, _ = shared
    d, release = held_back(*shared)
    with ctx.record() as events:
        result = d.sort(descending=True)

    async def turns():
        with pytest.raises(asyncio.TimeoutError):  # a wait that is given up is over
            await asyncio.wait_for(events[-1], 0.01)
        waiting = asyncio.ensure_future(events[-1])
        for _ in range(10):
            await asyncio.sleep(0.001)
        assert not waiting.done()
        release()
        await waiting
        assert events[-1].done
        await events[-1]  # complete already

    asyncio.run(turns())
    assert result.numpy()[0] == 2999


def test_work_that_failed_ends_every_wait(shared):
    cl = pytest.importorskip("pyopencl")
    ctx, theirs = shared
    held = cl.UserEvent(theirs)
    event = ctx.wrap_event(held)
    held.set_status(-5)

    async def one():
        await event

    for wait in (event.wait, lambda: asyncio.run(one())):
        with pytest.raises(gpcl.GpError) as caught:
            wait()
        assert caught.value.status == Status.ERROR_LAUNCH


def test_waits_end_in_time(shared):
    """The work goes on, and nothing is lost."""
    ctx, _ = shared
    assert ctx.deadline is None
    d, release = held_back(*shared)
    with ctx.record() as events:
        result = d.sort(descending=True)
    errors = []

    def wait_elsewhere():  # in C, where no signal has to be handled
        with pytest.raises(gpcl.GpTimeoutError) as caught:
            events[-1].wait(timeout=0.02)
        errors.append(caught.value.status)

    for wait in (lambda: events[-1].wait(timeout=0), lambda: events[-1].wait(0.02)):
        with pytest.raises(TimeoutError) as caught:
            wait()
        assert caught.value.status == Status.ERROR_TIMEOUT
    thread = threading.Thread(target=wait_elsewhere)
    thread.start()
    thread.join()
    assert errors == [Status.ERROR_TIMEOUT]
    ctx.deadline = 0.02
    assert ctx.deadline == 0.02
    for wait in (events[-1].wait, ctx.finish, lambda: events[-1].wait(1000)):
        with pytest.raises(gpcl.GpTimeoutError):
            wait()
    ctx.deadline = None
    release()
    events[-1].wait(timeout=600)
    assert result.numpy().tolist() == list(range(2999, -1, -1))


def test_arrays_that_are_given_up_lose_the_context_and_are_kept(shared):
    ctx, theirs = shared
    queue = ctx.opencl[2]
    _, release = held_back(*shared)
    ctx.deadline = 0.02
    with pytest.raises(gpcl.GpTimeoutError):
        ctx.sort(np.arange(100_000)[::-1])
    gc.collect()
    for call in (lambda: ctx.sort([2, 1]), ctx.finish, lambda: ctx.empty(3)):
        with pytest.raises(gpcl.GpError) as caught:
            call()
        assert caught.value.status == Status.ERROR_DEVICE_LOST
    ctx.close()
    release()
    cl = pytest.importorskip("pyopencl")
    cl.CommandQueue.from_int_ptr(queue).finish()  # which goes on with the arrays
    with gpcl.open_opencl(theirs, theirs.devices[0], cl.CommandQueue(theirs)) as other:
        assert other.sort([2, 1]).tolist() == [1, 2]


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_times_below_nothing_are_refused(ctx, seconds):
    with ctx.record() as events:
        ctx.sort(np.arange(5))
    with pytest.raises(ValueError):
        events[-1].wait(seconds)
    with pytest.raises(ValueError):
        ctx.deadline = seconds
    with pytest.raises(ValueError):
        ctx.deadline = 0
    events[-1].wait(60)
