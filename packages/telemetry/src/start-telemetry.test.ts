import { Counter, Gauge, TallyCounter, TallyHistogram } from '@model-gateway/service-kit';
import { startOtlpReceiver } from '@model-gateway/test-kit/otlp-receiver';
import { until } from '@model-gateway/test-kit/until';
import { PbfWriter } from 'pbf';
import { expect, it } from 'vitest';
import { span, start } from './tested-telemetry.ts';
import { newSpanId, newTraceId } from './trace-context.ts';

it('a collector reads every part of a span as it was', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, traces } = start(receiver, { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' });
  const sent = span({
    parentSpanId: newSpanId(),
    traceState: 'vendor=1',
    attributes: {
      ...{ text: 'ü€😀', whole: -7, large: 2 ** 40, part: 0.25, yes: true, absent: undefined },
      ...{ zero: { double: 0 }, list: ['a', 'b'] },
    },
    links: [{ traceId: newTraceId(), spanId: newSpanId() }],
    events: [{ name: 'gateway.first_token', atMs: 1_764_000_000_000.75, attributes: { of: 'it' } }],
    error: 'broke',
  });
  traces.exporter.add(sent);
  await close();
  expect(receiver.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
  });
  expect(receiver.spans).toMatchObject([
    {
      traceId: sent.traceId,
      spanId: sent.spanId,
      parentSpanId: sent.parentSpanId,
      traceState: 'vendor=1',
      name: 'test',
      kind: 'SPAN_KIND_CLIENT',
      attributes: {
        ...{ text: 'ü€😀', whole: -7, large: 2 ** 40, part: 0.25, yes: true },
        // A whole number that stays a double.
        ...{ zero: { double: 0 }, list: ['a', 'b'] },
      },
      links: sent.links,
      events: [{ name: 'gateway.first_token', attributes: { of: 'it' } }],
      status: { code: 'STATUS_CODE_ERROR', message: 'broke' },
      resource: { 'service.name': 'tested', 'service.namespace': 'model-gateway' },
    },
  ]);
  const [{ attributes = {}, endTimeUnixNano = 0n, startTimeUnixNano = 0n } = {}] = receiver.spans;
  expect(attributes).not.toHaveProperty('absent');
  // Rounded to what a number holds.
  expect(Number(startTimeUnixNano / 1_000n)).toBe(1_764_000_000_000_250);
  expect(Number((endTimeUnixNano - startTimeUnixNano) / 1_000n)).toBe(1_249);
});

it('half of a surrogate pair, and a text without end, leave the message readable', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, traces } = start(receiver);
  traces.exporter.add(
    span({ name: 'a\ud800', attributes: { half: 'b\udc00', long: '😀'.repeat(1_000_000) } }),
  );
  await close();
  const [{ attributes = {}, name = '' } = {}] = receiver.spans;
  expect([name, attributes.half]).toEqual(['a\ufffd', 'b\ufffd']);
  expect(String(attributes.long)).toHaveLength(32 * 1024);
});

it('resource attributes and the name of the service come from the settings', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, traces } = start(receiver, {
    OTEL_SERVICE_NAME: 'named',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,service.namespace=ours',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
    OTEL_SEMCONV: 'genai-1.36',
  });
  traces.exporter.add(span());
  await close();
  expect(receiver.spans[0]).toMatchObject({
    resource: { 'service.name': 'named', 'service.namespace': 'ours' },
    schemaUrl: 'https://opentelemetry.io/schemas/1.36.0',
  });
  expect(receiver.requests[0]?.headers['x-key']).toBe('secret');
});

it('a batch is repeated while the collector is busy, and given up when it refuses', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, dropped, lines, traces } = start(receiver);
  receiver.script({ status: 503, headers: { 'retry-after': '0.01' } }, { status: 200 }, { status: 400 });
  traces.exporter.add(span());
  await until(() => receiver.spans.length === 1);
  expect(receiver.requests).toHaveLength(2);
  traces.exporter.add(span());
  await until(async () => (await dropped('failed')) === 1);
  expect(receiver.requests).toHaveLength(3);
  expect(lines.join('')).toContain('HTTP status 400');
  await close();
});

it('spans that the collector refuses out of a batch are counted', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, dropped, traces } = start(receiver);
  const reply = new PbfWriter();
  reply.writeMessage(
    1,
    (_, out) => {
      out.writeVarintField(1, 3);
      out.writeStringField(2, 'too large');
    },
    undefined,
  );
  receiver.script({ body: reply.finish() });
  traces.exporter.add(span());
  await until(async () => (await dropped('refused')) === 3);
  await close();
});

it('beside a collector that never replies, the queue is bounded and the service stops in time', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, dropped, traces } = start(receiver, {
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
  });
  receiver.script({ isSilent: true }, { isSilent: true });
  for (let at = 0; at < 5; at++) traces.exporter.add(span());
  await until(() => receiver.requests.length === 1);
  for (let at = 0; at < 100; at++) traces.exporter.add(span());
  expect(traces.exporter.isFull).toBe(true);
  expect(await dropped('queue_full')).toBe(90);
  const startedAtMs = performance.now();
  await close();
  expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  expect(receiver.spans).toEqual([]);
});

it('contents do not make a batch longer than collectors accept', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, traces } = start(receiver);
  for (let at = 0; at < 200; at++) traces.exporter.add(span({ attributes: { body: 'x'.repeat(30_000) } }));
  await close();
  expect(receiver.spans).toHaveLength(200);
  for (const { headers } of receiver.requests)
    expect(Number(headers['content-length'])).toBeLessThan(4 * 1024 * 1024);
});

it('a redirect does not lead the headers elsewhere', async () => {
  await using receiver = await startOtlpReceiver();
  await using elsewhere = await startOtlpReceiver();
  const { close, traces } = start(receiver, { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret' });
  receiver.script({ status: 307, headers: { location: `${elsewhere.url}/v1/traces` } });
  traces.exporter.add(span());
  await close();
  expect(elsewhere.requests).toEqual([]);
});

it('exports the metrics of /metrics with the same names and values', async () => {
  await using receiver = await startOtlpReceiver();
  const { close, registry } = start(receiver, { OTEL_METRICS_EXPORTER: 'otlp' });
  const registers = [registry];
  new Counter({ name: 'plain_total', help: 'A counter.', registers }).inc(2.5);
  new Gauge({ name: 'level', help: 'A gauge.', labelNames: ['of'], registers }).set({ of: 'x' }, -1);
  new TallyCounter({ registry, name: 'tally_total', help: 'One of ours.', labelNames: ['route'] })
    .labels('/v1/models')
    .inc(3);
  const histogram = new TallyHistogram({
    ...{ registry, name: 'seconds', help: 'A histogram.', labelNames: ['route'] as const },
    buckets: [0.1, 1],
  });
  for (const value of [0.05, 0.5, 0.5, 7]) histogram.labels('/a').observe(value);
  await close();
  const named = (name: string) => receiver.metrics.find((metric) => metric.name === name);
  expect(named('plain_total')).toMatchObject({
    description: 'A counter.',
    sum: {
      isMonotonic: true,
      aggregationTemporality: 'AGGREGATION_TEMPORALITY_CUMULATIVE',
      dataPoints: [{ asDouble: 2.5 }],
    },
  });
  expect(named('level')?.gauge?.dataPoints).toMatchObject([
    { asDouble: -1, attributes: { 'gateway.of': 'x' } },
  ]);
  expect(named('tally_total')?.sum?.dataPoints).toMatchObject([
    { asDouble: 3, attributes: { 'gateway.route': '/v1/models' } },
  ]);
  expect(named('seconds')?.histogram?.dataPoints).toMatchObject([
    {
      attributes: { 'gateway.route': '/a' },
      count: 4,
      sum: 8.05,
      explicitBounds: [0.1, 1],
      bucketCounts: [1, 2, 1],
    },
  ]);
  expect(named('process_cpu_seconds_total')).toBeDefined();
});
