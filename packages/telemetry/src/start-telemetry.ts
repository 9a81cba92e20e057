import { randomUUID } from 'node:crypto';
import { type Logger, type Registry, TallyCounter, VERSION } from '@model-gateway/service-kit';
import { type AttributeNames, attributeNames } from './attribute-names.ts';
import { GenAiMetrics } from './gen-ai-metrics.ts';
import { MetricExporter } from './metric-exporter.ts';
import { OtlpSender } from './otlp/otlp-sender.ts';
import { createSampler, type Sampler } from './sampler.ts';
import { SpanExporter } from './span-exporter.ts';
import type { TelemetryConfig } from './telemetry-settings.ts';

/** Upper bound of the last exports of a stopping service. */
export const TELEMETRY_CLOSE_MS = 2_000;
const SCOPE = { name: 'model-gateway', version: VERSION };

export interface TelemetryOptions {
  config: TelemetryConfig;
  /** Default of `service.name`. */
  service: string;
  registry: Registry;
  log: Logger;
}

/** The exports of a service over OTLP. */
export interface Telemetry {
  /** Undefined: only metrics are exported. */
  traces: Tracer | undefined;
  /** Undefined: only traces are exported. */
  genAi: GenAiMetrics | undefined;
  close(): Promise<void>;
}

/** Parts that all spans of a service share. */
export interface Tracer {
  names: AttributeNames;
  sampler: Sampler;
  exporter: SpanExporter;
}

/** Starts the exports. Nothing of this exists in a service without an endpoint. */
export function startTelemetry({ config, log, registry, service }: TelemetryOptions): Telemetry {
  const { metricsUrl, tracesUrl } = config;
  const resource = {
    'service.name': service,
    'service.namespace': 'model-gateway',
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
    'telemetry.sdk.name': 'model-gateway',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': VERSION,
    ...config.resourceAttributes,
    ...(config.serviceName === undefined ? {} : { 'service.name': config.serviceName }),
  };
  const dropped = new TallyCounter({
    registry,
    name: 'gateway_telemetry_dropped_total',
    help: 'Spans, and exports of metrics, that no collector got, by reason.',
    labelNames: ['signal', 'reason'],
  });
  const shared = { dropped, log };
  const names = attributeNames(config.semconv);
  const exporter =
    tracesUrl === undefined
      ? undefined
      : new SpanExporter({
          ...shared,
          sender: new OtlpSender({ ...config.sender, url: tracesUrl }),
          source: { resource, scope: SCOPE, schemaUrl: names.schemaUrl },
          bounds: config.bounds,
        });
  const genAi = metricsUrl === undefined ? undefined : new GenAiMetrics(names);
  const metrics =
    metricsUrl === undefined || genAi === undefined
      ? undefined
      : new MetricExporter({
          ...shared,
          sender: new OtlpSender({ ...config.sender, url: metricsUrl }),
          source: { resource, scope: SCOPE, schemaUrl: names.schemaUrl },
          registry,
          genAi,
          intervalMs: config.metricsIntervalMs,
        });
  metrics?.start();
  return {
    genAi,
    traces: exporter && { names, exporter, sampler: createSampler(config.sampling) },
    close: async () => {
      await Promise.all([exporter?.close(TELEMETRY_CLOSE_MS), metrics?.close(TELEMETRY_CLOSE_MS)]);
    },
  };
}
