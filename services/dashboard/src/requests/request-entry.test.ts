import { expect, it } from 'vitest';
import { requestEntry } from './request-entry.ts';

const request = {
  requestId: 'req_1',
  endedAtMs: '1000',
  modelId: 'a',
  capability: 'chat',
  keyId: 'key_1',
  keyName: 'One',
  keyKind: 'issued',
  units: null,
  cost: '12',
  latencyMs: 1.5,
};

it.each([
  ['completed', 'completed'],
  ['estimated', 'completed'],
  ['aborted_partial', 'interrupted'],
  ['upstream_failed_free', 'failed'],
])('a request that was billed as %s is %s', (billingReason, outcome) => {
  expect(requestEntry({ ...request, billingReason })).toMatchObject({
    outcome,
    costUsd: '0.000000012',
  });
});
