"""The Python half of the measurement: answers and times what the Rust process asks for, a line of JSON each way.

Started by `mirostat-peers measure`; the rows come as a .npy file. The two processes take turns on one core, so that this one sleeps
while the other measures.
"""

import importlib
import json
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter_ns

import numpy as np

import numpy_baseline
from anchors import Anchor, Call

MODULES = ["numpy_baseline", "torch_baseline", "authors", "hf_transformers"]


def modules(with_torch):
    """The modules that can be imported; numpy must be one of them."""
    found = []
    for name in MODULES:
        if name != "numpy_baseline" and not with_torch:
            continue
        found.append(importlib.import_module(name))
    return found


class Server:
    def __init__(self, with_torch):
        self.modules = modules(with_torch)
        self.rows = self.mu_bits = None
        self.task, self.contestants = None, {}

    def versions(self):
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        for name in ("torch", "transformers"):
            if name in sys.modules:
                versions[name] = sys.modules[name].__version__
        return {"versions": versions}

    def load(self, path, mu_bits):
        """Takes the rows, the first on a cache line as in the other process."""
        rows = np.load(path)
        room = np.empty(rows.size + 16, np.float32)
        start = -room.ctypes.data % 64 // 4
        self.rows = room[start : start + rows.size].reshape(rows.shape)
        self.rows[:] = rows
        self.mu_bits, self.task = mu_bits, None
        return {}

    def enter(self, task):
        """Makes the task's contestants anew."""
        self.task, self.contestants = task, {}
        for one in [Anchor(), Call()] + [
            one for module in self.modules for one in module.contestants(task, self.rows.shape[1], self.mu_bits)
        ]:
            self.contestants[one.name] = one
        return {"contestants": [{"name": one.name, "role": one.role} for one in self.contestants.values()]}

    def answer(self, name, row):
        start = perf_counter_ns()
        try:
            answer = self.contestants[name].answer(self.rows[row % len(self.rows)])
        except Exception as error:  # a peer that refuses is told so, by the name of its fault
            return {"refused": f"{type(error).__name__}: {error}"}
        return {"answer": answer, "took_us": (perf_counter_ns() - start) / 1e3}

    def draws(self, name, count):
        one, row = self.contestants[name], self.rows[0]
        return {"tokens": [int(one.call(row)) for _ in range(count)]}

    def turn(self, first, rounds, row_step, strides):
        """A turn of the clock: as `Clock::turn` of the Rust process."""
        rows, count = self.rows, len(self.rows)
        entries = [(self.contestants[name].call, stride, []) for name, stride in strides]
        for number in range(first, first + rounds):
            for place, (call, stride, times) in enumerate(entries):
                if number % stride == 0:
                    row = rows[(number * row_step + place) % count]
                    start = perf_counter_ns()
                    call(row)
                    times.append((perf_counter_ns() - start) / 1e3)
        return {"times_us": [times for _, _, times in entries]}

    def batch(self, sessions, threads, calls):
        """So many rows of Mirostat V2 for each batch, a loop on each thread; buffers are a thread's own."""
        rows, vocabulary = self.rows, self.rows.shape[1]
        samplers = [numpy_baseline.MirostatV2(vocabulary, self.mu_bits) for _ in range(threads)]
        times = []

        def loop(thread, first):
            for i in range(first + thread, first + sessions, threads):
                samplers[thread].call(rows[i])

        with ThreadPoolExecutor(threads) as pool:
            for call in range(calls + 1):
                first = call % (len(rows) // sessions) * sessions
                start = perf_counter_ns()
                if threads == 1:
                    loop(0, first)
                else:
                    for done in [pool.submit(loop, thread, first) for thread in range(threads)]:
                        done.result()
                times.append((perf_counter_ns() - start) / 1e3)
        return {"times_us": times[1:]}


def main():
    server = Server(with_torch="--without-torch" not in sys.argv)
    # Nothing but answers may reach the pipe.
    pipe, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        reply = getattr(server, request.pop("op"))(**request)
        print(json.dumps(reply), file=pipe, flush=True)


if __name__ == "__main__":
    main()
