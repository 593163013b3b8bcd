"""transformers: its logits warpers, then softmax and multinomial as `generate` draws; the row becomes a tensor without a copy."""

import torch
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

TASKS = {
    "top_k": lambda: [TopKLogitsWarper(40)],
    "top_p": lambda: [TopPLogitsWarper(0.9)],
    "min_p": lambda: [MinPLogitsWarper(0.05)],
    "typical": lambda: [TypicalLogitsWarper(0.95)],
    "draw": lambda: [],
    "chain": lambda: [
        TopKLogitsWarper(40),
        TopPLogitsWarper(0.95),
        MinPLogitsWarper(0.05),
        TemperatureLogitsWarper(0.8),
    ],
}


class Transformers:
    name, role = "transformers", "peer"

    def __init__(self, warpers):
        self.warpers = LogitsProcessorList(warpers)
        self.context = torch.zeros((1, 1), dtype=torch.long)

    def step(self, row):
        scores = self.warpers(self.context, torch.from_numpy(row)[None])
        return torch.multinomial(torch.softmax(scores, dim=-1), 1).item(), scores

    @torch.inference_mode()
    def call(self, row):
        return self.step(row)[0]

    @torch.inference_mode()
    def answer(self, row):
        token, scores = self.step(row)
        return {"token": int(token), "kept": torch.nonzero(torch.isfinite(scores[0])).squeeze(1).tolist()}


def contestants(task, vocabulary, mu_bits):
    return [Transformers(TASKS[task]())] if task in TASKS else []
