"""torch without a sampling library: V2 by threshold, `torch.topk`, `softmax` and `multinomial`."""

from math import log

import torch

from anchors import Anchor

torch.set_num_threads(1)
torch.manual_seed(7)


class Torch:
    name, role = "torch", "baseline"

    def __init__(self, vocabulary, mu_bits):
        self.vocabulary, self.mu_bits = vocabulary, mu_bits

    @torch.inference_mode()
    def call(self, row):
        return self.step(torch.from_numpy(row))[0]

    @torch.inference_mode()
    def answer(self, row):
        token, kept = self.step(torch.from_numpy(row))
        return {"token": int(token), "kept": kept.tolist()}


class MirostatV2(Torch):
    def step(self, row):
        edge = float(torch.logsumexp(row, 0)) - self.mu_bits * log(2)
        kept = torch.nonzero(row >= min(edge, float(row.max()))).squeeze(1)
        return kept[torch.multinomial(torch.softmax(row[kept], 0), 1)].item(), kept


class TopK(Torch):
    def step(self, row):
        logits, kept = torch.topk(row, 40)
        return kept[torch.multinomial(torch.softmax(logits, 0), 1)].item(), kept


class Draw(Torch):
    def step(self, row):
        return torch.multinomial(torch.softmax(row, 0), 1).item(), torch.arange(self.vocabulary)

    @torch.inference_mode()
    def call(self, row):
        return torch.multinomial(torch.softmax(torch.from_numpy(row), 0), 1).item()


class Softmax(Torch):
    @torch.inference_mode()
    def call(self, row):
        return torch.softmax(torch.from_numpy(row), 0)

    def answer(self, row):
        return {"probabilities": self.call(row).tolist()}


class Calls(Anchor):
    """What the calls of a draw take that have nothing to do: softmax, multinomial and the way back, of sixteen logits."""

    name = "torch, the calls alone"

    def __init__(self):
        self.few = torch.zeros(16)

    @torch.inference_mode()
    def call(self, row):
        return torch.multinomial(torch.softmax(self.few, 0), 1).item()


TASKS = {"mirostat_v2": MirostatV2, "top_k": TopK, "draw": Draw, "softmax": Softmax}


def contestants(task, vocabulary, mu_bits):
    return [TASKS[task](vocabulary, mu_bits), Calls()] if task in TASKS else []
