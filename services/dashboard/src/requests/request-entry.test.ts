import { expect, it } from 'vitest';
import { toRequestEntry } from './request-entry.ts';

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
  refused: null,
};

it.each([
  ['completed', 'completed'],
  ['estimated', 'completed'],
  ['aborted_partial', 'interrupted'],
  ['upstream_failed_free', 'failed'],
])('a request that was billed as %s is %s', (billingReason, outcome) => {
  expect(toRequestEntry({ ...request, billingReason })).toMatchObject({
    outcome,
    costUsd: '0.000000012',
  });
});

it('says what the caller was answered, and apart from that what the provider was', () => {
  const failed = { ...request, billingReason: 'upstream_failed_free', httpStatus: 500 };
  expect(toRequestEntry({ ...failed, clientStatus: 502, clientErrorCode: 'upstream_error' })).toMatchObject({
    status: 502,
    errorCode: 'upstream_error',
    httpStatus: 500,
    refused: null,
  });
  // An older control plane does not send the status.
  expect(toRequestEntry({ ...failed, errorCode: 'upstream_error' })).toMatchObject({
    status: null,
    errorCode: 'upstream_error',
  });
});

it('stands for all that were refused alike', () => {
  const refused = { count: 3, firstAtMs: '400' };
  expect(toRequestEntry({ ...request, billingReason: '', clientStatus: 429, refused })).toMatchObject({
    outcome: 'refused',
    status: 429,
    endedAtMs: 1_000,
    refused: { count: 3, firstAtMs: 400 },
  });
});
