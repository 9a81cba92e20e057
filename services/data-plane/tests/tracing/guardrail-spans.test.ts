import type { PlainCatalogInput } from '@model-gateway/shared';
import { simulatedCatalog, withStarted } from '@model-gateway/test-kit';
import { startOtlpReceiver } from '@model-gateway/test-kit/otlp-receiver';
import { expect, it } from 'vitest';
import { withServer } from '../guardrails/guarded-gateway.ts';
import { caller, named, traceOf, withTracedGateway } from './traced-gateway.ts';

const receiver = withStarted(startOtlpReceiver);
const service = withServer();
const traceparents: unknown[] = [];
const SERVER = 'POST /v1/chat/completions';

function document(baseUrl: string): PlainCatalogInput {
  const simulated = simulatedCatalog(baseUrl);
  const often = Array.from({ length: 80 }, (_, index) => `service-${index}`);
  const patterns = [{ name: 'word', pattern: 'reed', action: 'replace' as const }];
  return {
    ...simulated,
    guardrails: [
      { id: 'words', kind: 'patterns', patterns },
      { id: 'service', kind: 'http', url: service.url },
      ...often.map((id) => ({ id, kind: 'http' as const, url: service.url, when: 'request' as const })),
    ],
    models: simulated.models.flatMap((model) =>
      model.id === 'sim/chat-free'
        ? [
            { ...model, guardrails: ['words', 'service'] },
            // A request is checked by the guardrails of all models that may answer it, at most 20 of each.
            ...[0, 1, 2, 3].map((part) => ({
              ...model,
              id: `sim/checked-${part}`,
              fallbacks: part === 0 ? ['sim/checked-1', 'sim/checked-2', 'sim/checked-3'] : [],
              guardrails: often.slice(part * 20, part * 20 + 20),
            })),
          ]
        : [model],
    ),
  };
}

const gateway = withTracedGateway(receiver, {}, { document });

async function checksOf(request: object) {
  const { headers, traceId } = caller();
  const answer = await gateway.chat({ model: 'sim/chat-free', ...request }, { headers });
  const spans = await traceOf(receiver, traceId, (found) => named(found, SERVER).length > 0);
  const [server] = named(spans, SERVER);
  const checks = spans.filter(({ name }) => name.startsWith('guardrail '));
  for (const { parentSpanId } of checks) expect(parentSpanId).toBe(server?.spanId);
  return { traceId, status: answer.status, checks };
}

const outcomes = (checks: Awaited<ReturnType<typeof checksOf>>['checks']) =>
  checks.map(({ attributes, kind, name }) => [
    ...[name, kind, attributes['gateway.guardrail_direction'], attributes['gateway.outcome']],
  ]);

it('a trace has a span for each check, which is the parent of the spans of its service', async () => {
  service.answer((req, res) => {
    traceparents.push(req.headers.traceparent);
    res.end(JSON.stringify({ action: 'NONE' }));
  });
  const { checks, status, traceId } = await checksOf({ messages: [{ role: 'user', content: 'A reed.' }] });
  expect(status).toBe(200);
  expect(outcomes(checks)).toEqual([
    ['guardrail words', 'SPAN_KIND_INTERNAL', 'request', 'replaced'],
    ['guardrail service', 'SPAN_KIND_CLIENT', 'request', 'passed'],
    ['guardrail words', 'SPAN_KIND_INTERNAL', 'response', 'passed'],
    ['guardrail service', 'SPAN_KIND_CLIENT', 'response', 'passed'],
  ]);
  const remote = checks.filter(({ kind }) => kind === 'SPAN_KIND_CLIENT');
  expect(traceparents).toEqual(remote.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
});

it('a check that fails is an error in the trace, and one that blocks is none', async () => {
  service.answer((_req, res) => void res.end(JSON.stringify({ action: 'BLOCKED' })));
  const blocked = await checksOf({});
  expect(blocked.status).toBe(403);
  expect(outcomes(blocked.checks)[1]).toEqual([
    'guardrail service',
    'SPAN_KIND_CLIENT',
    'request',
    'blocked',
  ]);
  expect(blocked.checks[1]?.status).toBeUndefined();
  service.answer((_req, res) => void res.writeHead(500).end());
  const failed = await checksOf({});
  expect(failed.status).toBe(503);
  expect(failed.checks[1]).toMatchObject({
    attributes: { 'gateway.outcome': 'failed', 'error.type': 'guardrail_unavailable' },
    status: { code: 'STATUS_CODE_ERROR' },
  });
});

it('a check that its client did not wait for has a span without an outcome', async () => {
  const abort = new AbortController();
  service.answer((req) => {
    traceparents.push(req.headers.traceparent);
    abort.abort();
  });
  const { headers, traceId } = caller();
  await gateway.chat({ model: 'sim/chat-free' }, { headers, signal: abort.signal }).catch(() => undefined);
  const spans = await traceOf(receiver, traceId, (found) => named(found, SERVER).length > 0);
  const [check] = named(spans, 'guardrail service');
  expect(traceparents.at(-1)).toBe(`00-${traceId}-${check?.spanId}-01`);
  expect(check?.attributes).not.toHaveProperty('gateway.outcome');
  expect(check?.status).toBeUndefined();
});

it('after 64 checks, the span of the request is the parent of those of its services', async () => {
  const parents: (string | undefined)[] = [];
  service.answer((req, res) => {
    parents.push(String(req.headers.traceparent).split('-')[2]);
    res.end(JSON.stringify({ action: 'NONE' }));
  });
  const { checks } = await checksOf({ model: 'sim/checked-0' });
  expect(checks).toHaveLength(64);
  const request = checks[0]?.parentSpanId;
  expect(parents).toEqual([...checks.map(({ spanId }) => spanId), ...Array(16).fill(request)]);
});
