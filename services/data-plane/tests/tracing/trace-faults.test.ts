import { setTimeout as wait } from 'node:timers/promises';
import { addPool, until, withStarted } from '@model-gateway/test-kit';
import { startOtlpReceiver } from '@model-gateway/test-kit/otlp-receiver';
import { describe, expect, it } from 'vitest';
import { openSocket } from '../websocket/socket-client.ts';
import { caller, named, withTracedGateway } from './traced-gateway.ts';

const receiver = withStarted(startOtlpReceiver);
const SERVER = 'POST /v1/chat/completions';
const tracesOf = (keptBecause: string) =>
  named(receiver.spans, SERVER).filter(
    ({ attributes }) => attributes['gateway.kept_because'] === keptBecause,
  );

describe('a gateway that exports every trace', () => {
  const gateway = withTracedGateway(receiver, {}, { ownPools: true });

  it('calls that go on in the background after a request are not in its trace', async () => {
    const account = await gateway.createAccount();
    // So little that unused money is returned at once, and fetched again for each request.
    await addPool(gateway.admin, { kind: 'account', id: account }, '0.05');
    const { rawKey: key } = await gateway.createKey(account);
    const callers = Array.from({ length: 90 }, () => caller());
    const ask = async (at: number) => {
      const { headers } = callers[at] ?? caller();
      await gateway.chat({ model: 'sim/chat-pro', stream: at % 3 === 0 }, { key, headers });
    };
    for (let at = 0; at < callers.length; at += 3) await Promise.all([ask(at), ask(at + 1), ask(at + 2)]);
    const returns = () => named(receiver.spans, 'gateway.v1.BillingService/ReturnAllowance');
    await until(() => returns().length > 5);
    const ids = new Set(callers.map(({ traceId }) => traceId));
    expect(returns().filter(({ traceId }) => ids.has(traceId))).toEqual([]);
    const spans = receiver.spans.filter(({ traceId }) => ids.has(traceId));
    const parents = new Set([...spans, ...callers].map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId = '' }) => !parents.has(parentSpanId))).toEqual([]);
    for (const acquired of named(spans, 'gateway.v1.BillingService/AcquireAllowance')) {
      const [server] = spans.filter(({ name, traceId }) => traceId === acquired.traceId && name === SERVER);
      expect(acquired.startTimeUnixNano).toBeLessThan(server?.endTimeUnixNano ?? 0n);
    }
  });
});

describe('a gateway that samples nothing by itself', () => {
  const gateway = withTracedGateway(receiver, {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_CALLER_TRACES_PER_SECOND: '5',
    OTEL_SLOW_REQUEST_MS: '1',
  });

  it('a key that samples each of its requests gets only so many exported per second', async () => {
    const before = tracesOf('sampled').length;
    const other = await gateway.createKey();
    const startedAtMs = performance.now();
    await Promise.all(Array.from({ length: 60 }, () => gateway.chat({}, { headers: caller().headers })));
    const seconds = Math.ceil((performance.now() - startedAtMs) / 1_000);
    // Another key has traces of its own.
    const { headers, traceId } = caller();
    await gateway.chat({}, { key: other.rawKey, headers });
    await until(() => named(receiver.spans, SERVER).some((span) => span.traceId === traceId));
    const sampled = tracesOf('sampled').length - before;
    expect(sampled).toBeGreaterThan(5);
    expect(sampled).toBeLessThanOrEqual(5 * (seconds + 1) + 1);
  });

  it('an open WebSocket is not slow', async () => {
    const socket = await openSocket(gateway.baseUrl, gateway.rawKey);
    await socket.ask({ model: 'sim/chat-free', input: 'Hi' });
    await wait(20);
    await socket[Symbol.asyncDispose]();
    await until(() => named(receiver.spans, 'POST /v1/responses').length > 0);
    await wait(50);
    expect(receiver.spans.filter(({ name }) => name.includes('WebSocket'))).toEqual([]);
  });
});

describe('a gateway that ignores what callers decide', () => {
  const gateway = withTracedGateway(receiver, {
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
    OTEL_CALLER_TRACES_PER_SECOND: '0',
  });

  it('a trace id that is always sampled does not have each request exported', async () => {
    const before = tracesOf('sampled').length;
    const headers = { traceparent: `00-${'f'.repeat(32)}-00f067aa0ba902b7-01` };
    await Promise.all(Array.from({ length: 100 }, () => gateway.chat({}, { headers })));
    await wait(200);
    expect(tracesOf('sampled').length - before).toBeLessThan(20);
  });
});

describe('a data plane that stops', () => {
  const gateway = withTracedGateway(receiver, {
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
  });

  it('exports the spans and the metrics that wait, also the end of the settlement', async () => {
    const dataPlane = await gateway.startDataPlane();
    const { headers, traceId } = caller();
    const authorization = `Bearer ${gateway.rawKey}`;
    await fetch(`http://127.0.0.1:${dataPlane.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/chat-pro', messages: [{ role: 'user', content: 'Hi' }] }),
    }).then((response) => response.text());
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
    const metrics = receiver.metrics.length;
    await dataPlane.close();
    const names = receiver.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
    expect(names).toContain(SERVER);
    expect(names).toContain('gateway.v1.BillingService/SettleUsage');
    expect(receiver.metrics.slice(metrics).map(({ name }) => name)).toContain(
      'gen_ai.client.inference.duration',
    );
  });
});

describe('headers of a trace', () => {
  const gateway = withTracedGateway(receiver);

  it('reach the provider only as the traceparent of the attempt', async () => {
    const { headers, traceId } = caller();
    const hostile = { ...headers, baggage: 'user=secret', tracestate: 'V=not;valid', b3: `${traceId}-1-1` };
    await gateway.chat({}, { headers: hostile });
    const [sent] = gateway.provider.requests;
    expect(sent?.headers.traceparent).toContain(traceId);
    for (const name of ['baggage', 'tracestate', 'b3']) expect(sent?.headers[name], name).toBeUndefined();
    await until(() => named(receiver.spans, SERVER).some((span) => span.traceId === traceId));
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    for (const { traceState } of spans) expect(traceState).toBeUndefined();
  });
});
