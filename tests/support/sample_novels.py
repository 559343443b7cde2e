"""Chapters of the project's own sample novels, and a text that is in none of them."""

from deploy.demo.samples import load_samples

SAMPLES = load_samples()
NOVELS = ["青灯渡", "星槎纪事", "雾港来信"]
CHAPTERS = {name: [SAMPLES[f"{name}:{number}"].text for number in (1, 2, 3)] for name in NOVELS}
STRANGER = SAMPLES["竹坞旧事:1"].text
