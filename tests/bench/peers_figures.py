"""Draws what peers.sh measured, peers beside it: peers_figures.py ROWS.tsv FOLDER [--title TEXT]

ROWS.tsv: what the programs write where PEERS_TSV names a file, of one device. Writes a PNG of each
figure that there are rows for.

SPDX-License-Identifier: MIT
"""
import argparse
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker

matplotlib.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "legend.fontsize": 8,
                            "axes.spines.top": False, "axes.spines.right": False})


def elements(text):
    return 2 ** int(text[2:]) if text.startswith("2^") else int(text)


class Figures:
    def __init__(self, folder, title):
        self.folder, self.title = folder, title

    def new(self, title):
        figure, axis = plt.subplots(figsize=(7.6, 4.4))
        figure.suptitle(title, x=0.02, ha="left", fontsize=11, fontweight="bold")
        figure.text(0.02, 0.905, self.title, fontsize=7.5, color="0.35")
        return figure, axis

    def save(self, figure, axis, name, y):
        axis.set_ylabel(y)
        axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
        figure.tight_layout(rect=(0, 0, 1, 0.92))
        figure.savefig(self.folder / f"{name}.png", dpi=150)
        plt.close(figure)

    def by_n(self, rows, name, title, y, value, log=False):
        """A solid line for gpcl, a dashed one of the same colour for its peer; value(rate, limit)."""
        series = defaultdict(list)
        for operation, type_, n, ours, peer, theirs, limit in rows:
            series[f"{operation} {type_}", peer].append((elements(n), value(ours, limit), value(theirs, limit)))
        if not series:
            return
        figure, axis = self.new(title)
        for number, ((label, peer), points) in enumerate(series.items()):
            n, ours, theirs = zip(*sorted(points))
            colour = plt.get_cmap("tab10")(number)
            axis.plot(n, ours, "-", marker="o", markersize=3, linewidth=1.5, color=colour, label=label)
            axis.plot(n, theirs, "--", marker="x", markersize=3, linewidth=1, color=colour, label=f"   {peer}")
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_locator(matplotlib.ticker.LogLocator(base=4, numticks=20))
        axis.set_xlabel("n")
        if log:
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
        self.save(figure, axis, name, y)

    def distributions(self, rows):
        """Bars of the rate against that of random keys, cut off where keys are much easier."""
        rates = defaultdict(dict)  # by type, by distribution
        for operation, type_, n, ours, *_ in rows:
            rates[f"{type_}, n = {n}"][operation.removeprefix("sort ")] = ours
        if not rates:
            return
        figure, axis = self.new("Sorting keys of each distribution: speed against random keys")
        names = list(next(iter(rates.values())))
        width = 0.8 / len(rates)
        for number, (label, of) in enumerate(rates.items()):
            axis.bar([i + number * width for i in range(len(names))],
                     [of.get(name, 0) / of["random"] for name in names], width,
                     label=f"{label}; random: {of['random']:.3g} Gkey/s")
        axis.set_ylim(0, 2)
        axis.set_xticks([i + 0.4 - width / 2 for i in range(len(names))], names, rotation=30, ha="right")
        self.save(figure, axis, "sort_by_distribution", "times random's")


def main():
    parser = argparse.ArgumentParser(description="Draws what peers.sh measured.")
    parser.add_argument("rows", type=Path, help="what the programs wrote where PEERS_TSV names a file")
    parser.add_argument("folder", type=Path, help="where the figures go")
    parser.add_argument("--title", default="", help="device, driver, date")
    arguments = parser.parse_args()
    rows = []
    for line in arguments.rows.read_text().splitlines():
        operation, type_, n, ours, _, peer, theirs, limit = line.split("\t")
        if "x" not in n:
            rows.append((operation, type_, n, float(ours), peer, float(theirs), float(limit)))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    figures = Figures(arguments.folder, arguments.title)
    figures.by_n([row for row in rows if row[0] in ("scan", "reduce", "recurrence", "histogram") and row[-1]],
                 "fraction_of_copy", "Memory's speed by n: what the bytes read and written are of a copy's",
                 "of the copy's bytes a second", lambda rate, limit: rate / limit)
    figures.by_n([row for row in rows if row[0] in ("sort", "sort pairs")], "sort_by_n", "Sorting random keys", "Gkey/s",
                 lambda rate, _: rate, log=True)
    figures.by_n([row for row in rows if row[0] == "matmul"], "matmul_by_n", "Products of n x n matrices", "Gop/s",
                 lambda rate, _: rate, log=True)
    figures.distributions([row for row in rows if row[0].startswith("sort ") and row[0] != "sort pairs"])


if __name__ == "__main__":
    main()
