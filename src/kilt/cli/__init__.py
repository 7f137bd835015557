"""The command `kilt`."""
