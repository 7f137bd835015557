"""When the command was started: a time limit covers what it takes to load the program, too."""

import time

STARTED = time.monotonic()
