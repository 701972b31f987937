"""The option that all these programs have."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def add_bin(parser):
    parser.add_argument(
        "--bin",
        type=pathlib.Path,
        default=ROOT / "build/bin",
        help="folder with xsa-opt and xsa-run (default: build/bin)",
    )
