"""A report as a page that needs nothing else: no script, no font, no request."""
