"""The authors' Mirostat (github.com/basusourya/mirostat, mirostat.py at ea2e61b), their formulae step by step in torch.

Theirs is a loop around a GPT-2; here is what it does to one row of logits, with their `m` of 100 and their N the length of the row
(theirs is a fixed 50,000). They published version 1 only.
"""

from math import log, log2

import torch

M = 100


def estimate_s(prob):
    result, num, den = 0, 0, 0
    for i in range(M):
        b = prob[i] / prob[i + 1]
        t = (i + 2) / (i + 1)
        num += log(b) * log(t)
        den += log(t) ** 2
    return num / den


def compute_k(n, s, tau):
    eps = s - 1
    k = ((eps * (2**tau)) / (1 - n ** (-eps))) ** (1 / s)
    return round(k)


class Authors:
    name, role = "mirostat.py", "peer"

    def __init__(self, vocabulary, mu_bits):
        self.vocabulary, self.mu_bits = vocabulary, mu_bits

    def step(self, row):
        logits = torch.from_numpy(row)
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        prob_original = torch.softmax(sorted_logits, dim=-1).tolist()
        s = estimate_s(prob_original)
        k = compute_k(self.vocabulary, s, self.mu_bits) + 1
        sorted_logits, sorted_indices = sorted_logits[0:k], sorted_indices[0:k]
        prob_topk = torch.softmax(sorted_logits, dim=0)
        previous = torch.multinomial(prob_topk, 1)
        self.surprise_bits = log2(1 / prob_original[previous])
        return sorted_indices[previous], sorted_indices

    @torch.inference_mode()
    def call(self, row):
        return self.step(row)[0]

    @torch.inference_mode()
    def answer(self, row):
        token, kept = self.step(row)
        return {"token": int(token), "kept": kept.tolist()}


def contestants(task, vocabulary, mu_bits):
    return [Authors(vocabulary, mu_bits)] if task == "mirostat_v1" else []
