"""The recipes that are the API: one public function, one module."""
