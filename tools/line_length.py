#!/usr/bin/env python3
"""Reports lines of more than 110 characters in tracked sources; Markdown is exempt.

Formatters leave long strings and comments as they are, so they can't check this.
"""

import subprocess
import sys
from pathlib import Path

LIMIT = 110
KINDS = ["*.rs", "*.ts", "*.mjs", "*.css", "*.html"]


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "-z", "--", *KINDS], cwd=root, check=True, capture_output=True)
    violations = 0
    for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
        # A file that is deleted, but not yet staged, is still listed.
        if not (root / name).exists():
            continue
        # Not `splitlines`: it also splits at characters that don't end a line of a source.
        for number, line in enumerate((root / name).read_text(encoding="utf-8").split("\n"), start=1):
            # `len` counts characters, not bytes: Greek letters count once.
            if len(line) > LIMIT:
                print(f"{name}:{number}: {len(line)} characters")
                violations += 1
    if violations > 0:
        print(f"{violations} lines have more than {LIMIT} characters.")
    return 1 if violations > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
