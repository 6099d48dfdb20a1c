"""Runs the ladders of algorithms with `gpcl bench --json` and draws what the thesis drew; see figures.sh.

Writes into the folder: results.jsonl (all that was measured, for --from), a PNG and an SVG of each
figure, headline.md.

SPDX-License-Identifier: MIT
"""
import argparse
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

GPCL = os.environ.get("GPCL", "gpcl")

# ---- What to run ---------------------------------------------------------------------------------

POWERS = [2**k for k in range(10, 25, 2)]
LARGE = POWERS + [2**25, 2**26]
SIDES = [64, 128, 256, 512, 1024]
ROWS = [1, 2, 4, 8, 32, 128, 512, 1024]


def plan(thesis):
    """(operation, flags, sizes, the flag that a size goes to) of each figure."""
    return [
        ("matmul", [], SIDES + ([1500, 2000, 3000, 4000] if thesis else [2048]), "--n"),
        ("min-plus", [], SIDES + ([2000, 4000, 6300] if thesis else [2048]), "--n"),
        ("scan", [], LARGE if thesis else POWERS, "--n"),
        ("sort", [], LARGE if thesis else POWERS[:-1], "--n"),
        ("histogram", [], LARGE if thesis else POWERS, "--n"),
        ("histogram", ["--skewed"], LARGE if thesis else POWERS, "--n"),
        ("fibonacci", [], ROWS, "--rows"),
    ]


def default_plan(thesis):
    """The same for the default algorithm alone, up to larger sizes."""
    powers = [2**k for k in range(10, 29 if thesis else 25, 2)]
    return [(operation, [], powers, "--n") for operation in ["scan", "sort", "reduce"]] + [
        ("matmul", [], SIDES + ([2000, 4000, 8192] if thesis else [2048]), "--n")]


CODES = {"min-plus": "matmul", "fibonacci": "recurrence"}  # operations that are another one's special case


def fail(message):
    sys.exit(f"figures.sh: {message}")


def gpcl(*arguments):
    return subprocess.run([GPCL, *map(str, arguments)], capture_output=True, text=True)


class Bench:
    """Runs each algorithm up to the size from which on one call would take longer than `cap` milliseconds."""

    def __init__(self, arguments, results):
        self.thesis, self.results = arguments.thesis, results
        self.cap = 1e3 * (arguments.longest or (60 if arguments.thesis else 0.4))
        self.device = ["--device", arguments.device] if arguments.device else []
        self.failed = []
        try:
            done = gpcl("info", "--json", *self.device)
        except OSError as error:
            fail(f"{GPCL}: {error.strerror}; build it (cmake --preset release && cmake --build --preset release) or "
                 "set GPCL")
        if done.returncode:
            fail(done.stderr.strip())
        self.info = json.loads(done.stdout)
        self.kinds = {d["selector"]: d["kind"] for d in self.info["devices"]}

    def run(self):
        # The device's algorithms, and those of the CPU without OpenCL beside them.
        for device in dict.fromkeys([self.info["default"], "host"]):
            for operation, flags, sizes, flag in plan(self.thesis):
                host = self.kinds.get(device, "host") == "host"
                names = [a["name"] for a in self.info["algorithms"].get(CODES.get(operation, operation), [])
                         if (a["on"] == "host") == host]
                self.ladder(device, operation, flags, sizes, flag, names)
            if self.kinds.get(device, "host") != "host":
                for operation, flags, sizes, flag in default_plan(self.thesis):
                    self.ladder(device, operation, flags, sizes, flag, ["default"])
        return self.failed

    def ladder(self, device, operation, flags, sizes, flag, names):
        slowest = {}  # milliseconds of an algorithm's last call
        for before, size in zip([None] + sizes, sizes):
            # A call grows as its work does, and somewhat more where that leaves a cache.
            power = 3 if flag == "--n" and CODES.get(operation, operation) == "matmul" else 1.2
            names = [n for n in names if slowest.get(n, 0) * (size / (before or size)) ** power < self.cap]
            if not names:
                return
            print(f"{operation} {' '.join(flags)} {flag[2:]} = {size} on {device}: {' '.join(names)}", flush=True)
            arguments = ["bench", operation, "--json", "--device", device, flag, size, "--algorithm", ",".join(names),
                         *flags, *([] if self.thesis else ["--repeat", 3])]
            done = gpcl(*arguments)
            for text in done.stdout.splitlines():
                line = json.loads(text)
                self.results.write(text + "\n")
                slowest[line["algorithm"]] = math.inf if "refused" in line else line["total_ms"]
            self.results.flush()
            if done.returncode == 128 + signal.SIGINT:
                raise KeyboardInterrupt
            if done.returncode:
                self.failed.append(f"{operation} {flag} {size}: {done.stderr.strip()}")
                print(self.failed[-1], file=sys.stderr)
                if not done.stdout:
                    return


# ---- Figures -------------------------------------------------------------------------------------


class Results:
    """The verified lines; of several for the same point the last."""

    def __init__(self, path):
        self.points, self.unverified, self.refused = {}, [], {}
        with open(path) as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                    host = line["selector"] == "host"
                    key = (line["op"], line.get("data", ""), line["algorithm"], host)
                    if "refused" in line:
                        self.refused[key] = line["refused"]
                    elif not line["verified"]:
                        self.unverified.append(f"{line['op']} {line['algorithm']} n = {line['n']}")
                    else:
                        self.points.setdefault(key, {})[(line["n"], line.get("rows", 0))] = line
                except (ValueError, KeyError, TypeError) as error:
                    fail(f"{path}:{number}: not a line of gpcl bench --json: {error!r}")
        lines = [line for series in self.points.values() for line in series.values()]
        if not lines:
            fail(f"{path}: holds no verified results")
        main = next((line for line in lines if line["selector"] != "host"), lines[0])
        self.device = main["device"]
        self.platform = f"{main['platform']} {main['driver']}".strip()
        self.version, self.date = main["gpcl"], max(line["date"] for line in lines)[:10]
        self.has_opencl = main["selector"] != "host"

    def series(self, operation, data=""):
        """(algorithm, on host, its lines by size) of each algorithm, in the order in which they ran."""
        for (op, its_data, algorithm, host), points in self.points.items():
            if op == operation and (its_data == data or not data):
                yield algorithm, host, [points[at] for at in sorted(points)]

    def caption(self):
        return f"{self.device}, {self.platform}   |   gpcl {self.version}   |   {self.date}"

    def of(self, operation, algorithms, n):
        """The line of the first algorithm that there is, at the largest size up to n."""
        for algorithm in algorithms:
            for name, _, lines in self.series(operation):
                fits = [line for line in lines if line["n"] <= n]
                if name == algorithm and fits:
                    return max(fits, key=lambda line: (line["n"], line.get("rows", 0)))
        return None


class Figures:
    def __init__(self, results, folder):
        import matplotlib
        matplotlib.use("Agg")
        matplotlib.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "legend.fontsize": 8,
                                    "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "gpcl"})
        import matplotlib.pyplot
        import matplotlib.ticker
        self.ticker = matplotlib.ticker
        self.plt, self.results, self.folder = matplotlib.pyplot, results, folder
        self.drawn = []

    def new(self, title, columns=1, rows=1):
        figure, axes = self.plt.subplots(rows, columns, figsize=(5.2 * columns + 2.4, 4.8 * rows), squeeze=False)
        figure.suptitle(title, x=0.02, y=1 - 0.02 / rows, ha="left", fontsize=11, fontweight="bold")
        figure.text(0.02, 1 - 0.085 / rows, self.results.caption(), fontsize=7.5, color="0.35")
        return figure, list(axes.flat)

    def save(self, figure, name, tight=True):
        if tight:
            figure.tight_layout(rect=(0, 0, 1, 1 - 0.4 / figure.get_figheight()))
        for suffix in ["png", "svg"]:
            figure.savefig(self.folder / f"{name}.{suffix}", dpi=150)
        self.plt.close(figure)
        self.drawn.append(name)

    def colour(self, number):
        return self.plt.get_cmap("tab20")((2 * number) % 20 + (1 if number >= 10 else 0))

    def lines(self, axis, series, x, y):
        """One curve for each (label, lines, style)."""
        for number, (label, lines, style) in enumerate(series):
            points = [(x(line), y(line)) for line in lines if y(line) > 0]
            if points:
                axis.plot(*zip(*points), style, marker="o", markersize=3, linewidth=1.3, label=label,
                          color=self.colour(number))

    def axis(self, axis, x, y, log_x=2, log_y=True, legend=True):
        axis.set_xlabel(x)
        axis.set_ylabel(y)
        if log_x:
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_locator(self.ticker.LogLocator(base=log_x))
        if log_y:
            axis.set_yscale("log")
            # Labels between the powers of ten where there are few of those.
            axis.yaxis.set_minor_formatter(self.ticker.LogFormatterSciNotation(minor_thresholds=(2, 0.5)))
            axis.tick_params(axis="y", which="minor", labelsize=7)
        if legend and axis.get_legend_handles_labels()[0]:
            axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)

    def named(self, operation, style=lambda name: "-", data=""):
        return [(name if not host or name.startswith("host") else f"{name} (host)", lines,
                 style(name)) for name, host, lines in self.results.series(operation, data)]

    def draw(self):
        self.matmul()
        self.vectors("scan", "Figure 12: prefix sums of int32", "figure12_scan")
        self.transfers()
        self.time_by_n()
        self.vectors("sort", "Figure 18: sorting uint32 keys (radix sorts dashed)", "figure18_sort",
                     lambda name: "--" if "radix" in name else "-")
        self.table()
        self.min_plus()
        self.histogram()
        self.fibonacci()

    def matmul(self):
        series = self.named("matmul")
        if not series:
            return
        figure, axes = self.new("Figure 10: products of square float32 matrices, with transfers", 2)
        for axis, log in zip(axes, [False, True]):
            self.lines(axis, series, lambda l: l["n"], lambda l: l["total_ms"] / 1e3)
            self.axis(axis, "n (matrices of n x n)", "time [s]", 2 if log else None, log, log)
        self.save(figure, "figure10_matmul")

    def vectors(self, operation, title, name, style=lambda name: "-"):
        series = self.named(operation, style)
        if not series:
            return
        figure, (axis,) = self.new(title + ", with transfers")
        self.lines(axis, series, lambda l: l["n"], lambda l: l["total_ms"] / 1e3)
        self.axis(axis, "n (elements)", "time [s]", 4)
        self.save(figure, name)

    def transfers(self):
        """The thesis' algorithm and the default one; a total below the sum of its parts shows their overlap."""
        lines = {name: lines for name, host, lines in self.results.series("scan") if not host}
        names = [name for name in ["recursive-vectors", "default"] if name in lines] or list(lines)[:1]
        if not names:
            return
        figure, axes = self.new("Figure 17: where the time of a scan of host memory goes", len(names))
        parts = [("upload", "upload_ms"), ("run", "run_ms"), ("download", "download_ms"),
                 ("total", "total_ms")]
        for axis, name in zip(axes, names):
            for number, (label, member) in enumerate(parts):
                points = [(line["n"], line[member]) for line in lines[name] if line[member] > 0]
                if points:
                    axis.plot(*zip(*points), marker="o", markersize=3, label=label, color=self.colour(number))
            if not any(line["upload_ms"] for line in lines[name]):
                axis.text(0.02, 0.96, "upload and download: none, the device works in the host's memory",
                          transform=axis.transAxes, va="top", fontsize=8)
            axis.set_title(name, fontsize=9)
            self.axis(axis, "n (int32 elements)", "time [ms]", 4, legend=name == names[-1])
        self.save(figure, "figure17_scan_transfers")

    def time_by_n(self):
        """The default algorithms: whole calls on host memory, and on data that is on the device already."""
        wanted = [("scan", "scan of int32"), ("sort", "sort of uint32"), ("reduce", "reduce of int32"),
                  ("matmul", "product of float32")]
        series = [(title, lines) for operation, title in wanted
                  for name, host, lines in self.results.series(operation) if name == "default" and not host]
        if not series:
            return
        figure, axes = self.new("Time by n, with transfers and without", 2, (len(series) + 1) // 2)
        for axis, (title, lines) in zip(axes, series):
            for number, (label, member) in enumerate([("call on host memory", "total_ms"),
                                                      ("data on the device", "run_device_ms")]):
                axis.plot([l["n"] for l in lines], [l[member] for l in lines], marker="o", markersize=3, label=label,
                          color=self.colour(number))
            axis.set_title(title, fontsize=9)
            self.axis(axis, "n (side)" if "product" in title else "n", "time [ms]", 4, legend=axis is axes[1])
        self.save(figure, "time_by_n")

    def kernel_rows(self):
        """Table 1: of each product that launches kernels, at the largest size that all have in common."""
        series = [(name, lines) for name, host, lines in self.results.series("matmul") if not host]
        common = set.intersection(*[{line["n"] for line in lines} for _, lines in series]) if series else set()
        if not common:
            return None, []
        n = max(common)
        rows = []
        for name, lines in series:
            for kernel in next(line for line in lines if line["n"] == n)["kernels"]:
                rows.append([name, kernel["name"], "x".join(map(str, kernel["global_size"])),
                             "x".join(map(str, kernel["work_group"])) or "OpenCL's", str(kernel["launches"]),
                             f"{kernel['ms']:.3g}", str(kernel["local_bytes"]), str(kernel["private_bytes"])])
        return n, rows

    HEADER = ["algorithm", "kernel", "global size", "work-group", "launches", "time [ms]", "local [B]",
              "private [B]"]

    def table(self):
        n, rows = self.kernel_rows()
        if not rows:
            return
        figure, axis = self.plt.subplots(figsize=(11, 1.2 + 0.28 * len(rows)))
        figure.suptitle(f"Table 1: the kernels of the matrix products at n = {n}", x=0.02, ha="left",
                        fontsize=11, fontweight="bold", y=1 - 0.15 / figure.get_figheight())
        figure.text(0.02, 1 - 0.55 / figure.get_figheight(), self.results.caption(), fontsize=7.5, color="0.35")
        axis.axis("off")
        table = axis.table(rows, colLabels=self.HEADER, bbox=[0, 0, 1, 1], cellLoc="left", colLoc="left",
                           colWidths=[0.16, 0.26, 0.13, 0.11, 0.08, 0.09, 0.08, 0.09])
        table.auto_set_font_size(False)
        table.set_fontsize(8)
        for (row, _), cell in table.get_celld().items():
            cell.set_linewidth(0)
            cell.set_facecolor("0.9" if row == 0 else "0.97" if row % 2 else "1")
        figure.subplots_adjust(left=0.02, right=0.98, bottom=0.02, top=1 - 0.65 / figure.get_figheight())
        self.save(figure, "table1_kernels", tight=False)

    def min_plus(self):
        series = self.named("min-plus")
        if not series:
            return
        figure, (axis,) = self.new("Min-plus products of square float32 matrices, data on the device")
        self.lines(axis, series, lambda l: l["n"], lambda l: l["gops"])
        self.axis(axis, "n (matrices of n x n)", "Gop/s (2 n³ of them)")
        self.save(figure, "min_plus")

    def histogram(self):
        uniform, skewed = self.named("histogram", data="uniform"), self.named("histogram", data="skewed")
        if not uniform:
            return
        figure, (axis,) = self.new("Histogram of bytes: uniform, and skewed (15 of 16 the same; dashed)")
        numbers = {label: number for number, (label, _, _) in enumerate(uniform)}
        for data, style in [(uniform, "-"), (skewed, "--")]:
            for label, lines, _ in data:
                axis.plot([l["n"] for l in lines], [l["gbps"] for l in lines], style, marker="o", markersize=3,
                          label=label if style == "-" else None, color=self.colour(numbers.get(label, 9)))
        self.axis(axis, "n (bytes)", "GB/s, data on the device", 4)
        self.save(figure, "histogram")

    def fibonacci(self):
        def work_items(line):
            kernel = max(line["kernels"], key=lambda kernel: kernel["ms"])
            return math.prod(kernel["global_size"])
        series = [(name, sorted(lines, key=work_items), "-") for name, host, lines in self.results.series("fibonacci")
                  if not host and all(line["kernels"] for line in lines)]
        if not series:
            return
        figure, (axis,) = self.new("Fibonacci's numbers, rows of 1024 float64: bandwidth of the writes")
        self.lines(axis, series, work_items, lambda l: l["mbps_written"])
        self.axis(axis, "work-items (of 1 to 1024 rows)", "MB/s written")
        self.save(figure, "recurrence")


# ---- The headline results beside today's ---------------------------------------------------------

MATMUL, SCAN, SORT, RADIX = 4000, 2**26, 2**26, 2**25
HEADLINES = [  # what, operation, our algorithms, n, member, the result of 2013 (ms unless it says else)
    ("matmul, naive kernel", "matmul", ["naive", "simple"], MATMUL, "run_ms", "14390 ms"),
    ("matmul, tiles kernel", "matmul", ["tiles"], MATMUL, "run_ms", "5132 ms"),
    ("matmul, blocks kernel", "matmul", ["blocks"], MATMUL, "run_ms", "1074 ms"),
    ("matmul, blocks and tiles kernel", "matmul", ["blocks-and-tiles"], MATMUL, "run_ms", "1823 ms"),
    ("matmul, best on the device, in all", "matmul", None, MATMUL, "total_ms", "1210 ms"),
    ("matmul, BLAS on the CPU", "matmul", ["host-blas", "host"], MATMUL, "total_ms", "43490 ms"),
    ("scan, CPU", "scan", ["host-loop", "host"], SCAN, "total_ms", "225 ms"),
    ("scan, naive", "scan", ["naive"], SCAN, "total_ms", "1132 ms"),
    ("scan, work-efficient", "scan", ["work-efficient"], SCAN, "total_ms", "604 ms"),
    ("scan, recursive", "scan", ["recursive"], SCAN, "total_ms", "606 ms"),
    ("scan, recursive vector", "scan", ["recursive-vectors"], SCAN, "total_ms", "383 ms"),
    ("- of it running", "scan", ["recursive-vectors"], SCAN, "run_ms", "87 ms"),
    ("- of it up", "scan", ["recursive-vectors"], SCAN, "upload_ms", "154 ms"),
    ("- of it down", "scan", ["recursive-vectors"], SCAN, "download_ms", "141 ms"),
    ("scan, best on the device, in all", "scan", None, SCAN, "total_ms", "383 ms"),
    ("sort, qsort", "sort", ["host-qsort"], SORT, "total_ms", "14746 ms"),
    ("sort, std::sort", "sort", ["host-std-sort"], SORT, "total_ms", "9039 ms"),
    ("sort, CPU radix", "sort", ["host-radix16"], SORT, "total_ms", "884 ms"),
    ("sort, bitonic", "sort", ["bitonic"], SORT, "total_ms", "7678 ms"),
    ("sort, fused bitonic", "sort", ["bitonic-fused"], SORT, "total_ms", "3808 ms"),
    ("radix sort, CPU", "sort", ["host-radix16"], RADIX, "total_ms", "449 ms"),
    ("radix sort, registers", "sort", ["radix-registers"], RADIX, "total_ms", "1884 ms"),
    ("radix sort, local memory", "sort", ["radix-local"], RADIX, "total_ms", "1565 ms"),
    ("radix sort, vector loads", "sort", ["radix-local-vectors"], RADIX, "total_ms", "1019 ms"),
    ("sort, best on the device, in all", "sort", None, SORT, "total_ms", "3808 ms"),
    ("min-plus, the course's kernel", "min-plus", ["min-plus"], 6300, "gops", "580 Gop/s"),
    ("min-plus, best on the device", "min-plus", None, 6300, "gops", "580 Gop/s"),
    ("min-plus, CPU, in all", "min-plus", ["host-blas", "host"], 6300, "total_ms", "2700 ms"),
    ("Fibonacci 1024 x 1024, best on the device", "fibonacci", None, 1024, "mbps_written", "122 MB/s"),
]


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n >= 2**12 and n & (n - 1) == 0 else str(n)


def headline_row(results, what, operation, algorithms, n, member, then):
    if algorithms is None:  # the fastest, of those that reached the largest size
        ours = [results.of(operation, [name], n) for name, host, _ in results.series(operation)
                if host != results.has_opencl]
        ours = [line for line in ours if line]
        most = max(((line["n"], line.get("rows", 0)) for line in ours), default=None)
        ours = [line for line in ours if (line["n"], line.get("rows", 0)) == most]
        line = min(ours, key=lambda line: line["run_device_ms"], default=None)
    else:
        line = results.of(operation, algorithms, n)
    if not line:
        return f"| {what} | {size_text(n)} | {then} | not measured | | | |"
    value, unit = line[member], then.split()[1]
    number = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    ratio = ""
    if line["n"] == n and value > 0:
        before = float(then.split()[0])
        ratio = f"{before / value if unit == 'ms' else value / before:.3g} x"
    return (f"| {what} | {size_text(n)} | {then} | {number} {unit} | {size_text(line['n'])} | {line['algorithm']} "
            f"| {ratio} |")


def headline(results, figures, folder, failed):
    text = ["# The thesis' headline results beside today's", "",
            f"{results.device}, {results.platform}; gpcl {results.version}; {results.date}.", "",
            "Then: Radeon HD 5650 and Core i5 M 480 (2013); min-plus: Radeon R9 M390; Fibonacci: Radeon 7970. "
            "Every result of today was verified in the run that timed it. A ratio stands where n is the same.", "",
            "| what | n | then | today | n today | algorithm | faster by |", "|---|---|---|---|---|---|---|"]
    text += [headline_row(results, *row) for row in HEADLINES]
    n, rows = figures.kernel_rows()
    if rows:
        text += ["", f"## Table 1: the kernels of the matrix products at n = {n}", "",
                 "| " + " | ".join(figures.HEADER) + " |", "|---" * len(figures.HEADER) + "|"]
        text += ["| " + " | ".join(row) + " |" for row in rows]
    text += ["", "## Figures", ""] + [f"![{name}]({name}.png)\n" for name in figures.drawn]
    left_out = [f"{op} {data} {name}: {reason}".replace("  ", " ")
                for (op, data, name, _), reason in results.refused.items()]
    left_out += [f"{each}: WRONG result, left out" for each in results.unverified] + failed
    if left_out:
        text += ["## Left out", ""] + [f"- {each}" for each in left_out]
    (folder / "headline.md").write_text("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="figures.sh", description="Draws the thesis' figures with today's times.")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="where they go (default build/figures)")
    parser.add_argument("--thesis", action="store_true", help="up to the thesis' sizes: 2^26 elements, n = 4000 and 6300")
    parser.add_argument("--longest", type=float, metavar="SECONDS",
                        help="leaves out what one call would take longer for (default 0.4, with --thesis 60)")
    parser.add_argument("--device", metavar="SEL", help="as gpcl takes it")
    parser.add_argument("--from", dest="saved", metavar="FILE.jsonl", help="draw saved results, run nothing")
    parser.add_argument("--default-folder", default="build/figures", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = Path(arguments.folder or arguments.default_folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".writable").touch()
        (folder / ".writable").unlink()
    except OSError as error:
        fail(f"{folder}: can't be written: {error.strerror}")

    failed, path = [], folder / "results.jsonl"
    if arguments.saved:
        path = Path(arguments.saved)
        if not path.is_file():
            fail(f"{path}: no such file")
    else:
        with open(path, "w") as file:
            bench = Bench(arguments, file)
            try:
                failed = bench.run()
            except KeyboardInterrupt:
                print("interrupted; drawing what there is", file=sys.stderr)
                failed = ["interrupted: the sizes after that"]
    results = Results(path)
    figures = Figures(results, folder)
    figures.draw()
    headline(results, figures, folder, failed)
    print(f"{len(figures.drawn)} figures and headline.md are in {folder}")
    return 1 if failed or results.unverified else 0


if __name__ == "__main__":
    sys.exit(main())
