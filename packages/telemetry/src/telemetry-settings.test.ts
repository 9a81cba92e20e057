import { ConfigError, parseConfig } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { telemetryConfigOf, telemetrySettings } from './telemetry-settings.ts';

const configOf = (environment: Record<string, string>) =>
  telemetryConfigOf(parseConfig(z.object(telemetrySettings), environment));
const ENDPOINT = 'https://collector.example:4318/';

it('exports nothing without an endpoint, with OTEL_SDK_DISABLED, or with both exporters off', () => {
  expect(configOf({})).toBeUndefined();
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...none })).toBeUndefined();
});

it('appends the paths of the signals to the common endpoint, and takes their own endpoints as they are', () => {
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT })).toMatchObject({
    tracesUrl: 'https://collector.example:4318/v1/traces',
    metricsUrl: 'https://collector.example:4318/v1/metrics',
    semconv: 'genai-main',
    sampling: { sampler: 'parentbased_always_on', ratio: 1 },
  });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces.example/otlp' };
  expect(configOf(own)).toMatchObject({ tracesUrl: 'http://traces.example/otlp', metricsUrl: undefined });
});

it('decodes headers and resource attributes', () => {
  const config = configOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-tenant=7',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod',
  });
  expect(config?.sender.headers).toEqual({ authorization: 'Bearer a=b', 'x-tenant': '7' });
  expect(config?.resourceAttributes).toEqual({ 'deployment.environment.name': 'prod' });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:s3cret@collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=s3cret%zz'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'no header=s3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-a=s3cret%0D%0Ax-b: 1'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
  ['OTEL_SEMCONV', 'genai-2'],
])('refuses %s=%s by name, without repeating its value', (name, value) => {
  expect(() => configOf({ [name]: value })).toThrow(ConfigError);
  expect(() => configOf({ [name]: value })).toThrow(name);
  expect(() => configOf({ [name]: value })).not.toThrow('s3cret');
});
