import { createLogger, createRegistry, parseConfig } from '@model-gateway/service-kit';
import { z } from 'zod';
import { type Span, SpanKind } from './span.ts';
import { startTelemetry } from './start-telemetry.ts';
import { telemetryConfigOf, telemetrySettings } from './telemetry-settings.ts';
import { newSpanId, newTraceId } from './trace-context.ts';

/** Spans at once and no metrics beside them, so that every request to the receiver is one with spans. */
const ONLY_TRACES = { OTEL_BSP_SCHEDULE_DELAY: '5', OTEL_METRICS_EXPORTER: 'none' };

/** Starts exports to a receiver. */
export function start(receiver: { url: string }, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  const registry = createRegistry();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...ONLY_TRACES, ...environment };
  const config = telemetryConfigOf(parseConfig(z.object(telemetrySettings), settings));
  if (config === undefined) throw new Error('there is an endpoint');
  const telemetry = startTelemetry({ config, service: 'tested', registry, log });
  if (telemetry.traces === undefined) throw new Error('traces are exported');
  const dropped = async (reason: string) => {
    const text = await registry.metrics();
    const line = new RegExp(`gateway_telemetry_dropped_total\\{signal="traces",reason="${reason}"\\} (\\d+)`);
    return Number(line.exec(text)?.[1] ?? 0);
  };
  return { ...telemetry, traces: telemetry.traces, registry, lines, dropped };
}

export function span(members: Partial<Span> = {}): Span {
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    isSampled: true,
    name: 'test',
    kind: SpanKind.client,
    startedAtMs: 1_764_000_000_000.25,
    endedAtMs: 1_764_000_000_001.5,
    attributes: {},
    ...members,
  };
}
