"""Where the project lies."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOSPITAL = ROOT / "src" / "kilt" / "data" / "hospital.csv"
