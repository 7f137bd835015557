"""The studio: from a file to a verified release in the browser, on one's own machine.

A thin skin: every figure that it shows comes from the objects that the commands print.
"""
