"""The version of kilt."""

NUMBER = "0.1.0"
