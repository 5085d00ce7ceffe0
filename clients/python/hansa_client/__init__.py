"""The kit for bots: connect to a server and play."""
