"""The Python client of the gateway, and the `stamtafel` command line (`libs.client.cli`).

`connect(address)` gives a `Client`; errors are `ClientError`s with a reason.
"""
