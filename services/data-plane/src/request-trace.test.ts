import { newSpanId, newTraceId } from '@model-gateway/telemetry';
import { expect, it } from 'vitest';
import { RequestTrace } from './request-trace.ts';

it('keeps the first checks of a long stream', () => {
  const trace = new RequestTrace({ traceId: newTraceId(), isSampled: true });
  for (let index = 0; index < 1_000; index += 1) {
    const guardrail = { id: String(index), direction: 'response', outcome: 'passed', isRemote: false };
    trace.addCheck({ spanId: newSpanId(), path: 'guardrail words', startedAtMs: index, guardrail });
  }
  expect(trace.checks.map(({ guardrail }) => guardrail.id)).toEqual(
    Array.from({ length: 64 }, (_, n) => `${n}`),
  );
});
