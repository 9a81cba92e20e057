export {
  type AttributeNames,
  attributeNames,
  genAiOperationOf,
  genAiProviderOf,
  rpcAttributes,
} from './attribute-names.ts';
export { addressOf, type GenAiMetrics, type GenAiOperation } from './gen-ai-metrics.ts';
export type { Attributes, AttributeValue, Span, SpanEvent, SpanLink } from './span.ts';
export { SpanKind } from './span.ts';
export { startTelemetry, TELEMETRY_CLOSE_MS, type Telemetry, type Tracer } from './start-telemetry.ts';
export { type TelemetryConfig, telemetryConfigOf, telemetrySettings } from './telemetry-settings.ts';
export {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  parseTracestate,
  TRACEPARENT,
  TRACESTATE,
  type TraceContext,
} from './trace-context.ts';
