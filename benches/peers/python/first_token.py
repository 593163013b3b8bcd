"""One row, one token of Mirostat V2, and the end: a fresh process. Prints the µs from the making of the sampler to its token."""

import importlib
import sys
from time import perf_counter_ns

import numpy as np

module = importlib.import_module(f"{sys.argv[1]}_baseline")
row = np.fromfile(sys.argv[2], np.float32)
start = perf_counter_ns()
module.contestants("mirostat_v2", len(row), 10.0)[0].call(row)
print((perf_counter_ns() - start) / 1e3)
