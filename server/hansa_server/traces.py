"""Traces for OpenTelemetry: a span for each call. Nothing of it is imported while they are off."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hansa_server.errors import BadField


class Traces:
    """Makes spans; without a tracer they are empty."""

    def __init__(self, provider: Any = None) -> None:
        self._provider = provider
        self._tracer = None if provider is None else provider.get_tracer("hansa_server")

    def span(self, name: str, **attributes: str | int) -> AbstractContextManager[Any]:
        """Around a piece of work."""
        if self._tracer is None:
            return nullcontext()
        span: AbstractContextManager[Any] = self._tracer.start_as_current_span(name, attributes=attributes)
        return span

    def flush(self) -> None:
        """Send what is finished."""
        if self._provider is not None:
            self._provider.force_flush()

    def close(self) -> None:
        """Send what is left; no span may follow."""
        if self._provider is not None:
            self._provider.shutdown()


NO_TRACES = Traces()


def make_traces(exporter: Any = None) -> Traces:
    """Traces that go to this exporter, or over OTLP to where the OTEL_ variables say. Raises `BadField`."""
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
    except ImportError as error:
        raise BadField("traces", f"need hansa_server[traces] to be installed: {error}") from None
    provider = TracerProvider(resource=Resource.create({"service.name": "hansa_server"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Traces(provider)
