"""Sorts and scans an array that lies in pieces on the ranks of MPI: mpirun -n 4 python3 pieces_mpi.py [KEYS]

Each rank computes on its own device. What they exchange are samples, keys near the cuts, and the
parts.
"""
# SPDX-License-Identifier: MIT
import sys

import numpy as np
from mpi4py import MPI

import gpcl
from gpcl import pieces

comm = MPI.COMM_WORLD
size = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
bounds = [size * rank // comm.size for rank in range(comm.size + 1)]
keys = np.random.default_rng(comm.rank).integers(0, 1000, bounds[comm.rank + 1] - bounds[comm.rank]).astype(np.int32)

# The sort. Keys that are equal lie on the ranks in the order in which they lay there before.
run = gpcl.sort(keys)
borders = pieces.splitters(comm.allgather(pieces.sample(run, comm.size)), comm.size)
offsets = pieces.partition(comm.allgather(pieces.near(run, comm.rank, borders)), borders)
mine = pieces.merge_runs(comm.alltoall(pieces.cut(run, offsets[comm.rank])))

# The running sum of what is sorted.
before = pieces.carries(comm.allgather(gpcl.reduce(mine)))[comm.rank]
sums = gpcl.scan(mine, initial=before)

# One rank compares both with what NumPy makes of the whole, which only an example does.
whole, parts, scanned = comm.gather(keys), comm.gather(mine), comm.gather(sums)
if comm.rank == 0:
    expected = np.sort(np.concatenate(whole))
    right = np.array_equal(np.concatenate(parts), expected) and np.array_equal(np.concatenate(scanned), np.cumsum(expected))
    print(f"{size} keys on {comm.size} ranks, {'sorted' if right else 'WRONG'}: parts of", *(each.size for each in parts))
    sys.exit(not right)
