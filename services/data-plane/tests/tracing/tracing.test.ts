import { readFileSync } from 'node:fs';
import { until, withStarted } from '@model-gateway/test-kit';
import { type ReceivedSpan, startOtlpReceiver } from '@model-gateway/test-kit/otlp-receiver';
import { describe, expect, inject, it } from 'vitest';
import { accountWithContents } from '../contents/account-with-contents.ts';
import { caller, named, traceOf, withTracedGateway } from './traced-gateway.ts';

const receiver = withStarted(startOtlpReceiver);
const other = withStarted(startOtlpReceiver);
const redis = inject('redis');
const registry = JSON.parse(
  readFileSync(new URL('../../../../packages/telemetry/src/registry-names.json', import.meta.url), 'utf8'),
);

const SERVER = 'POST /v1/chat/completions';
const SETTLE = 'gateway.v1.BillingService/SettleUsage';
const RESOLVE = 'gateway.v1.KeyService/ResolveKey';

const hasSettled = (spans: readonly ReceivedSpan[]) => named(spans, SETTLE).length > 0;

function expectKnownNames(spans: readonly ReceivedSpan[], semconv: string, atLeast = 20): void {
  const published = new Set(registry[semconv].names);
  const names = spans.flatMap(({ attributes, events, resource }) =>
    [attributes, resource, ...events.map((event) => event.attributes)].flatMap((each) => Object.keys(each)),
  );
  expect(names.length).toBeGreaterThan(atLeast);
  expect(names.filter((name) => !name.startsWith('gateway.') && !published.has(name))).toEqual([]);
}

describe('a gateway that exports every trace', () => {
  const gateway = withTracedGateway(receiver, {}, redis ? { redisUrl: redis.url } : {});

  it('makes one trace of a request with a retry and a fallback, with every call in its place', async () => {
    const { headers, spanId: callerSpan, traceId } = caller();
    // A key that no cache knows.
    const { rawKey: key } = await gateway.createKey();
    gateway.provider.script({ reset: 'before_headers' }, { status: 500 }, {});
    const answer = await gateway.chat({ model: 'sim/chat-pro', stream: true }, { key, headers });
    expect(answer.status).toBe(200);
    const spans = await traceOf(receiver, traceId, (found) => {
      const fromControlPlane = found.filter(({ kind }) => kind === 'SPAN_KIND_SERVER').length > 2;
      return hasSettled(found) && fromControlPlane;
    });
    const [server] = named(spans, SERVER);
    expect(server).toMatchObject({
      parentSpanId: callerSpan,
      traceState: 'vendor=1',
      kind: 'SPAN_KIND_SERVER',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/chat/completions',
        'http.response.status_code': 200,
        'gateway.request_id': answer.headers.get('x-request-id'),
        'gateway.model': 'sim/spare',
        'gateway.attempts': 3,
        'gateway.outcome': 'completed',
      },
      resource: { 'service.name': 'data-plane' },
      schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
    });
    expect(server?.events.map(({ name }) => name)).toEqual([
      'gateway.admission',
      'gateway.reservation',
      'gateway.first_token',
      'gateway.settlement',
    ]);
    const children = spans.filter(({ parentSpanId }) => parentSpanId === server?.spanId);
    expect(children.map(({ name }) => name)).toEqual([
      RESOLVE,
      ...(redis ? ['EVALSHA admit'] : []),
      'gateway.v1.BillingService/AcquireAllowance',
      'chat sim-chat-pro',
      'chat sim-chat-pro',
      'chat sim-chat-free',
      SETTLE,
    ]);
    for (const child of children) {
      expect(child.kind, child.name).toBe('SPAN_KIND_CLIENT');
      expect(child.startTimeUnixNano, child.name).toBeGreaterThanOrEqual(server?.startTimeUnixNano ?? 0n);
      expect(child.endTimeUnixNano, child.name).toBeGreaterThanOrEqual(child.startTimeUnixNano);
    }
    const attempts = children.filter(({ name }) => name.startsWith('chat '));
    expect(attempts.map(({ status }) => status?.code)).toEqual([
      'STATUS_CODE_ERROR',
      'STATUS_CODE_ERROR',
      undefined,
    ]);
    expect(attempts[1]?.attributes).toMatchObject({
      'error.type': 'upstream_error',
      'http.response.status_code': 500,
    });
    const port = Number(new URL(gateway.provider.baseUrl).port);
    expect(attempts[2]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sim',
      'gen_ai.request.model': 'sim-chat-free',
      'gen_ai.request.stream': true,
      'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'server.address': '127.0.0.1',
      'server.port': port,
    });
    // The provider can join, too.
    expect(gateway.provider.requests.map((request) => request.headers.traceparent)).toEqual(
      attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
    expect(gateway.provider.requests[0]?.headers.tracestate).toBeUndefined();
    // The control plane joins below the calls of the data plane.
    const [resolveCall, resolved] = named(spans, RESOLVE);
    expect(resolved).toMatchObject({
      parentSpanId: resolveCall?.spanId,
      kind: 'SPAN_KIND_SERVER',
      attributes: { 'rpc.system.name': 'grpc', 'rpc.method': RESOLVE, 'rpc.response.status_code': 'OK' },
      resource: { 'service.name': 'control-plane' },
    });
    // The control plane settles many requests at once, in a trace that links to each.
    const settled = () =>
      receiver.spans.filter(({ links }) => links.some((link) => link.traceId === traceId));
    await until(() => settled().length > 0);
    expect(settled()).toMatchObject([
      {
        name: 'gateway.settle_batch',
        kind: 'SPAN_KIND_CONSUMER',
        attributes: { 'gateway.batch_size': 1, 'gateway.kept_because': 'sampled' },
        links: [{ traceId, spanId: server?.spanId }],
        resource: { 'service.name': 'control-plane' },
      },
    ]);
    expectKnownNames(settled(), 'genai-main', 8);
    const ids = new Set([callerSpan, ...spans.map(({ spanId }) => spanId)]);
    expect(ids.size).toBe(spans.length + 1);
    expect(spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))).toEqual([]);
    expectKnownNames(spans, 'genai-main');
  });

  it('tells what a paid request costs, and that the caller made a mistake without calling it an error', async () => {
    const paid = caller();
    const answer = await gateway.chat({ model: 'sim/chat-pro' }, { headers: paid.headers });
    const { charged } = await gateway.recordOf(answer);
    const [server] = named(await traceOf(receiver, paid.traceId, hasSettled), SERVER);
    expect(server?.attributes['gateway.cost_usd']).toBe(Number(charged) / 1e9);
    // The same type in every span, or backends cannot store them in one column.
    const free = caller();
    gateway.provider.script({ status: 400 });
    await gateway.chat({ model: 'sim/chat-pro' }, { headers: free.headers });
    const [ofFree] = named(await traceOf(receiver, free.traceId, hasSettled), SERVER);
    expect(ofFree?.attributes['gateway.cost_usd']).toEqual({ double: 0 });
    expect(Number(charged)).toBeGreaterThan(0);
    const wrong = caller();
    await gateway.chat({ model: 'sim/none' }, { headers: wrong.headers });
    const [refused] = await traceOf(receiver, wrong.traceId, (spans) => named(spans, SERVER).length > 0);
    expect(refused).toMatchObject({
      attributes: { 'http.response.status_code': 404, 'error.type': 'model_not_found' },
    });
    expect(refused?.status).toBeUndefined();
  });

  it('starts a trace for a caller without one, and logs its ids', async () => {
    const answer = await gateway.chat({}, { headers: { traceparent: 'nonsense' } });
    const requestId = answer.headers.get('x-request-id') ?? '';
    await until(() => gateway.logLines(requestId, '"msg":"request"').length === 1);
    const [line] = gateway.logLines(requestId, '"msg":"request"');
    const [server] = await traceOf(receiver, String(line?.trace_id), hasSettled);
    expect(server).toMatchObject({ spanId: line?.span_id, name: SERVER });
    expect(server?.parentSpanId).toBeUndefined();
  });

  it('logs the ids of the trace with what failed during a request', async () => {
    const { headers, traceId } = caller();
    const answer = await gateway.chat({ model: 'sim/guarded' }, { headers });
    expect(answer.status).toBe(503);
    const [server] = await traceOf(receiver, traceId, (spans) => named(spans, SERVER).length > 0);
    const [line] = gateway.logLines(traceId, '"msg":"a guardrail failed"');
    expect(line).toMatchObject({ guardrail: 'absent', trace_id: traceId, span_id: server?.spanId });
  });

  it('shows no account, key, tag, address or content unless that is turned on', async () => {
    using account = await accountWithContents(gateway, 1);
    const { headers, traceId } = caller();
    const secret = `secret-${traceId}`;
    const answer = await gateway.chat(
      { messages: [{ role: 'user', content: secret }], user: 'somebody' },
      { key: account.key, headers: { ...headers, 'x-gateway-tags': `project=${secret}` } },
    );
    expect(answer.status).toBe(200);
    const text = JSON.stringify(await traceOf(receiver, traceId, hasSettled), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const hidden of [
      secret,
      account.accountId,
      account.keyId,
      account.key,
      'somebody',
      'client.address',
    ])
      expect(text, hidden).not.toContain(hidden);
  });

  it('names the operation of a text completion as the conventions do', async () => {
    const { headers, traceId } = caller();
    await gateway.ask('completions', { model: 'sim/complete-free', prompt: 'a' }, { headers });
    const name = 'text_completion sim-complete-free';
    const [attempt] = named(await traceOf(receiver, traceId, (found) => named(found, name).length > 0), name);
    expect(attempt?.attributes).toMatchObject({ 'gen_ai.operation.name': 'text_completion' });
  });

  it('exports its metrics beside /metrics', async () => {
    await gateway.chat();
    const requests = () => receiver.metrics.filter(({ name }) => name === 'gateway_requests_total');
    await until(() => requests().length > 0);
    expect(requests().at(-1)?.sum?.dataPoints[0]?.attributes).toHaveProperty(['gateway.route']);
  });

  it('exports the metrics of the GenAI conventions, also of an attempt that failed', async () => {
    gateway.provider.script({ status: 500 }, {});
    await gateway.chat({ model: 'sim/chat-pro', stream: true });
    const points = (name: string) =>
      receiver.metrics.filter((metric) => metric.name === name).at(-1)?.histogram?.dataPoints ?? [];
    const failed = () =>
      points('gen_ai.client.inference.duration').find(
        ({ attributes }) => attributes['error.type'] === 'upstream_error',
      );
    await until(() => failed() !== undefined);
    expect(failed()?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sim',
      'gen_ai.request.model': 'sim-chat-pro',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(gateway.provider.baseUrl).port),
      'error.type': 'upstream_error',
    });
    for (const name of ['time_to_first_chunk', 'operation.output_tokens'])
      expect(points(`gen_ai.client.inference.${name}`), name).not.toEqual([]);
    const [sums] = receiver.metrics.filter(({ name }) => name.endsWith('inference.usage.input_tokens'));
    expect(sums?.sum?.dataPoints[0]?.attributes).toHaveProperty(['gen_ai.token.modality'], 'unknown');
    expect(sums).toMatchObject({
      unit: '{token}',
      schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
      sum: { isMonotonic: true },
    });
  });
});

describe('a gateway with names of 1.36, identities and contents', () => {
  const gateway = withTracedGateway(other, {
    OTEL_SEMCONV: 'genai-1.36',
    OTEL_IDENTITIES: 'true',
    OTEL_CONTENTS: 'true',
  });

  it('uses the older names, and names the account, the key and the tags', async () => {
    using account = await accountWithContents(gateway);
    const { headers, traceId } = caller();
    const tagged = { ...headers, 'x-gateway-tags': 'project=apollo' };
    await gateway.chat({ model: 'sim/chat-pro' }, { key: account.key, headers: tagged });
    const spans = await traceOf(other, traceId, hasSettled);
    const [server] = named(spans, SERVER);
    expect(server).toMatchObject({
      schemaUrl: 'https://opentelemetry.io/schemas/1.36.0',
      attributes: {
        'gateway.account_id': account.accountId,
        'gateway.key_id': account.keyId,
        'gateway.tag.project': 'apollo',
        'client.address': '127.0.0.1',
      },
    });
    // Contents of this account are not stored, so they are not exported either.
    expect(server?.attributes).not.toHaveProperty(['gateway.request_body']);
    const [attempt] = named(spans, 'chat sim-chat-pro');
    expect(attempt?.attributes).toMatchObject({ 'gen_ai.system': 'sim', 'gateway.streamed': false });
    expect(named(spans, SETTLE)[0]?.attributes).toMatchObject({
      'rpc.system': 'grpc',
      'rpc.service': 'gateway.v1.BillingService',
      'rpc.method': 'SettleUsage',
      'rpc.grpc.status_code': 0,
    });
    expectKnownNames(spans, 'genai-1.36');
  });

  it('exports the contents of an account that stores them', async () => {
    using account = await accountWithContents(gateway, 1);
    await until(async () => {
      const { headers, traceId } = caller();
      const messages = [{ role: 'user', content: 'what is exported?' }];
      await gateway.chat({ messages }, { key: account.key, headers });
      const [server] = named(await traceOf(other, traceId, hasSettled), SERVER);
      const request = String(server?.attributes['gateway.request_body'] ?? '');
      const response = String(server?.attributes['gateway.response_body'] ?? '');
      return request.includes('what is exported?') && response.includes('chat.completion');
    });
  });
});

describe('a gateway that samples nothing', () => {
  const gateway = withTracedGateway(receiver, {
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_SLOW_REQUEST_MS: '3000',
  });

  it('exports only what failed, was slow, or was sampled by the caller', async () => {
    const [plain, failed, slow, sampled] = [caller(false), caller(false), caller(false), caller(true)];
    await gateway.chat({}, { headers: plain.headers });
    expect(gateway.provider.requests[0]?.headers.traceparent).toMatch(
      new RegExp(`^00-${plain.traceId}-.*-00$`),
    );
    gateway.provider.script({ status: 500 });
    expect((await gateway.chat({}, { headers: failed.headers })).status).toBe(502);
    gateway.provider.script({ delay_ms: 3_500 });
    await gateway.chat({}, { headers: slow.headers });
    await gateway.chat({}, { headers: sampled.headers });
    const reasons = [];
    for (const { traceId } of [failed, slow, sampled]) {
      const spans = await traceOf(receiver, traceId, (found) => named(found, SERVER).length > 0);
      reasons.push(named(spans, SERVER)[0]?.attributes['gateway.kept_because']);
    }
    expect(reasons).toEqual(['error', 'slow', 'sampled']);
    const [server] = named(await traceOf(receiver, failed.traceId, () => true), SERVER);
    expect(server?.status?.code).toBe('STATUS_CODE_ERROR');
    expect(receiver.spans.filter(({ traceId }) => traceId === plain.traceId)).toEqual([]);
  });
});

describe('a gateway without an endpoint', () => {
  const gateway = withTracedGateway(receiver, { OTEL_SDK_DISABLED: 'true' });

  it('neither joins nor passes on a trace', async () => {
    const { headers, traceId } = caller();
    const answer = await gateway.chat({}, { headers });
    expect(gateway.provider.requests[0]?.headers.traceparent).toBeUndefined();
    await until(() => gateway.logLines(answer.headers.get('x-request-id') ?? '').length > 0);
    expect(gateway.logText()).not.toContain(traceId);
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });
});
