import { newTraceId } from '@model-gateway/telemetry';
import { expect, it } from 'vitest';
import { RequestTrace } from './request-trace.ts';

it('a trace keeps the first 64 checks of a long stream', () => {
  const trace = new RequestTrace({ traceId: newTraceId(), isSampled: true });
  for (let index = 0; index < 1_000; index += 1)
    trace.startCheck({ guardrail: String(index), direction: 'response', isRemote: false });
  expect(trace.checks.map(({ guardrail }) => guardrail)).toEqual(
    Array.from({ length: 64 }, (_, n) => `${n}`),
  );
});
