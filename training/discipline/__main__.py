"""``python -m training.discipline``."""

from __future__ import annotations

import sys

from training.discipline.run import main

sys.exit(main())
