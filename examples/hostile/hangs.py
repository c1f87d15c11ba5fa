#!/usr/bin/env python3
"""Never replies to an input with "trouble". It does not heed `cancel` or the end of its input."""

import speak

speak.serve("hangs", lambda attempt: speak.hang())
