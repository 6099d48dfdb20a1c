"""The context's operations as methods of device arrays, which are their first argument.

stubs.py gives them the operations' signatures.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations


class DeviceOperations:
    """The operations of a device array."""

    __slots__ = ()

    def sort(self, **options):
        """As gpcl.sort."""
        return self.context.sort(self, **options)

    def argsort(self, **options):
        """As gpcl.argsort."""
        return self.context.argsort(self, **options)

    def sort_pairs(self, values, **options):
        """As gpcl.sort_pairs."""
        return self.context.sort_pairs(self, values, **options)

    def merge(self, b, **options):
        """As gpcl.merge."""
        return self.context.merge(self, b, **options)

    def merge_pairs(self, b, a_values, b_values, **options):
        """As gpcl.merge_pairs."""
        return self.context.merge_pairs(self, b, a_values, b_values, **options)

    def merge_runs(self, offsets, **options):
        """As gpcl.merge_runs."""
        return self.context.merge_runs(self, offsets, **options)

    def merge_runs_pairs(self, values, offsets, **options):
        """As gpcl.merge_runs_pairs."""
        return self.context.merge_runs_pairs(self, values, offsets, **options)

    def sort_by(self, comes_before, **options):
        """As gpcl.sort_by."""
        return self.context.sort_by(self, comes_before, **options)

    def select(self, flags=None, **options):
        """As gpcl.select."""
        return self.context.select(self, flags, **options)

    def select_pairs(self, values, flags=None, **options):
        """As gpcl.select_pairs."""
        return self.context.select_pairs(self, values, flags, **options)

    def partition(self, flags=None, **options):
        """As gpcl.partition."""
        return self.context.partition(self, flags, **options)

    def partition_pairs(self, values, flags=None, **options):
        """As gpcl.partition_pairs."""
        return self.context.partition_pairs(self, values, flags, **options)

    def nonzero(self, **options):
        """As gpcl.nonzero."""
        return self.context.nonzero(self, **options)

    def scan(self, op="add", **options):
        """As gpcl.scan."""
        return self.context.scan(self, op, **options)

    def cumsum(self, **options):
        """As gpcl.cumsum."""
        return self.context.cumsum(self, **options)

    def reduce(self, op="add", **options):
        """As gpcl.reduce."""
        return self.context.reduce(self, op, **options)

    def histogram(self, bins=10, range=None, **options):
        """As gpcl.histogram."""
        return self.context.histogram(self, bins, range, **options)

    def histogram2d(self, y, bins=10, range=None, **options):
        """As gpcl.histogram2d."""
        return self.context.histogram2d(self, y, bins, range, **options)

    def bincount(self, weights=None, minlength=0, **options):
        """As gpcl.bincount."""
        return self.context.bincount(self, weights, minlength, **options)

    def recurrence(self, coefficients, **options):
        """As gpcl.recurrence."""
        return self.context.recurrence(self, coefficients, **options)

    def recurrence_varying(self, coefficients, **options):
        """As gpcl.recurrence_varying."""
        return self.context.recurrence_varying(self, coefficients, **options)

    def argmin(self, **options):
        """As gpcl.argmin."""
        return self.context.argmin(self, **options)

    def argmax(self, **options):
        """As gpcl.argmax."""
        return self.context.argmax(self, **options)

    def top_k(self, k, **options):
        """As gpcl.top_k."""
        return self.context.top_k(self, k, **options)

    def searchsorted(self, v, side="left", sorter=None, **options):
        """As gpcl.searchsorted: where v belong in this sorted array."""
        return self.context.searchsorted(self, v, side, sorter, **options)

    def is_sorted(self, **options):
        """As gpcl.is_sorted."""
        return self.context.is_sorted(self, **options)

    def diff(self, n=1, **options):
        """As gpcl.diff."""
        return self.context.diff(self, n, **options)

    def run_lengths(self, **options):
        """As gpcl.run_lengths."""
        return self.context.run_lengths(self, **options)

    def unique(self, return_index=False, return_inverse=False, return_counts=False, **options):
        """As gpcl.unique."""
        return self.context.unique(self, return_index, return_inverse, return_counts, **options)

    def reduce_by_key(self, values, op="add", **options):
        """As gpcl.reduce_by_key: of values whose keys are this array."""
        return self.context.reduce_by_key(self, values, op, **options)

    def scan_by_key(self, values, op="add", **options):
        """As gpcl.scan_by_key: of values whose keys are this array."""
        return self.context.scan_by_key(self, values, op, **options)

    def repeat(self, repeats, **options):
        """As gpcl.repeat."""
        return self.context.repeat(self, repeats, **options)

    def lexsort(self, **options):
        """As gpcl.lexsort: by the rows of this array."""
        return self.context.lexsort(self, **options)

    def take(self, indices, **options):
        """As gpcl.take."""
        return self.context.take(self, indices, **options)

    def put(self, indices, values, **options):
        """As gpcl.put."""
        return self.context.put(self, indices, values, **options)

    def matrix_transpose(self, **options):
        """As gpcl.matrix_transpose."""
        return self.context.matrix_transpose(self, **options)

    def shortest_paths(self, **options):
        """As gpcl.shortest_paths: of the lengths of edges in this array."""
        return self.context.shortest_paths(self, **options)

    def matmul(self, b, out=None, **options):
        """As gpcl.matmul."""
        return self.context.matmul(self, b, out, **options)
