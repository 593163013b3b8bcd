"""The honest bar: a few lines of numpy for each task, without a sort of the row; not a library that anyone could install.

Weights are f32, sums that decide something run over f64 or over few tokens; buffers are kept from call to call.
"""

from math import log, log2

import numpy as np

M, K = 100, 40


class Baseline:
    name, role = "numpy", "baseline"

    def __init__(self, vocabulary, mu_bits):
        self.vocabulary, self.mu_bits = vocabulary, mu_bits
        self.rng = np.random.default_rng(7)
        self.weights = np.empty(vocabulary, np.float32)
        self.above = np.empty(vocabulary, bool)

    def call(self, row):
        return self.step(row)[0]

    def answer(self, row):
        token, kept = self.step(row)
        return {"token": int(token), "kept": kept.tolist()}

    def softmax(self, row):
        """The greatest logit, the weights against it, and their sum."""
        top = row.max()
        np.subtract(row, top, out=self.weights)
        np.exp(self.weights, out=self.weights)
        return top, self.weights, float(self.weights.sum())

    def at_least(self, row, edge):
        np.greater_equal(row, np.float32(edge), out=self.above)
        return np.flatnonzero(self.above)

    def choose(self, kept, weights):
        running = np.cumsum(weights, dtype=np.float64)
        place = np.searchsorted(running, self.rng.random() * running[-1], side="right")
        return kept[min(place, len(kept) - 1)], kept

    def best(self, values, count):
        """The ids of the `count` greatest values, best first.

        Where they are few, the count-th greatest of 16-wise maxima is a bound that as many values reach; and then hardly more do.
        numpy's own argpartition takes fifteen times as long on a Zen 4.
        """
        wide = self.vocabulary // 16
        if count <= wide:
            maxima = values[: 16 * wide].reshape(16, wide).max(0)
            bound = np.partition(maxima, wide - count)[wide - count]
        else:
            bound = np.partition(values, self.vocabulary - count)[self.vocabulary - count]
        listed = self.at_least(values, bound)
        if len(listed) > 4 * count:  # many are equal
            above, equal = np.flatnonzero(values > bound), np.flatnonzero(values == bound)
            listed = np.concatenate([above, equal[: max(count - len(above), 0)]])
        return listed[np.argsort(-values[listed], kind="stable")[:count]]


class MirostatV2(Baseline):
    def step(self, row):
        top, weights, total = self.softmax(row)
        edge = float(top) + log(total) - self.mu_bits * log(2)
        kept = self.at_least(row, min(edge, float(top)))
        return self.choose(kept, weights[kept])


class MirostatV1(Baseline):
    """The surprise of the step is of the whole row, so the softmax is needed beside the partition."""

    def __init__(self, vocabulary, mu_bits):
        super().__init__(vocabulary, mu_bits)
        t = np.log((np.arange(2, M + 1)) / np.arange(1, M))
        self.t, self.t_squared = t, float(t @ t)

    def step(self, row):
        _, weights, total = self.softmax(row)
        best = self.best(row, min(256, self.vocabulary))
        logits = row[best[:M]].astype(np.float64)
        s = float(self.t[: len(logits) - 1] @ (logits[:-1] - logits[1:])) / self.t_squared
        e, k = s - 1, self.vocabulary
        if s > 0:
            k = min(round(((e * 2**self.mu_bits) / (1 - k ** (-e))) ** (1 / s)) + 1, k)
        if k > len(best):
            best = self.best(row, k)
        kept = best[:k]
        token, kept = self.choose(kept, weights[kept])
        self.surprise_bits = log2(total / weights[token])
        return token, kept


class TopK(Baseline):
    def step(self, row):
        kept = self.best(row, K)
        logits = row[kept]
        return self.choose(kept, np.exp(logits - logits[0]))


class MinP(Baseline):
    def step(self, row):
        top = row.max()
        kept = self.at_least(row, float(top) + log(0.05))
        return self.choose(kept, np.exp(row[kept] - top))


def nucleus(listed, weights, mass):
    """The fewest of the listed, from the first on, that hold the mass; nothing where they do not."""
    running = np.cumsum(weights, dtype=np.float64)
    place = int(np.searchsorted(running, mass))
    return None if place >= len(listed) else listed[: place + 1]


class TopP(Baseline):
    """The 1,024 best, and ever more of them while they do not hold the mass."""

    mass = 0.9

    def step(self, row):
        _, weights, total = self.softmax(row)
        return self.fewest(row, weights, total)

    def fewest(self, values, weights, total):
        listed = 1024
        while True:
            listed = min(listed, self.vocabulary)
            best = self.best(values, listed)
            kept = nucleus(best, weights[best], self.mass * total)
            if kept is not None:
                return self.choose(kept, weights[kept])
            if listed == self.vocabulary:
                return self.choose(best, weights[best])
            listed *= 8


class Typical(TopP):
    """As `TopP`, by how near a token's surprise lies to the entropy."""

    mass = 0.95

    def step(self, row):
        top, weights, total = self.softmax(row)
        surprise = np.float32(float(top) + log(total)) - row
        entropy = float(weights @ surprise) / total
        surprise -= np.float32(entropy)
        np.abs(surprise, out=surprise)
        return self.fewest(np.negative(surprise, out=surprise), weights, total)


class Draw(Baseline):
    def __init__(self, vocabulary, mu_bits):
        super().__init__(vocabulary, mu_bits)
        self.running, self.all = np.empty(vocabulary), np.arange(vocabulary)

    def step(self, row):
        _, weights, _ = self.softmax(row)
        np.cumsum(weights, dtype=np.float64, out=self.running)
        place = np.searchsorted(self.running, self.rng.random() * self.running[-1], side="right")
        return min(place, self.vocabulary - 1), self.all


class Chain(Baseline):
    def step(self, row):
        best = self.best(row, K)
        logits = row[best].astype(np.float64)
        weights = np.exp(logits - logits[0])
        running = np.cumsum(weights)
        kept = int(np.searchsorted(running, 0.95 * running[-1])) + 1
        kept = min(kept, int(np.count_nonzero(weights >= 0.05)))
        return self.choose(best[:kept], weights[:kept] ** (1 / 0.8))


class Softmax(Baseline):
    """ln Z, as we give it."""

    def call(self, row):
        top, _, total = self.softmax(row)
        return float(top) + log(total)

    def answer(self, row):
        return {"log_z_nats": self.call(row)}


TASKS = {
    "mirostat_v2": MirostatV2,
    "mirostat_v1": MirostatV1,
    "top_k": TopK,
    "top_p": TopP,
    "min_p": MinP,
    "typical": Typical,
    "draw": Draw,
    "chain": Chain,
    "softmax": Softmax,
}


def contestants(task, vocabulary, mu_bits):
    return [TASKS[task](vocabulary, mu_bits)]
