#!/usr/bin/env python3
"""Never says hello. It reads its input and is silent."""

import speak

while speak.receive() is not None:
    pass
speak.hang()
