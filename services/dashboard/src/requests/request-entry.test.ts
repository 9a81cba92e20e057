import { expect, it } from 'vitest';
import { REQUEST_COLUMNS, toRequestEntry, toRequestRow } from './request-entry.ts';

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
  tags: {},
};

it.each([
  ['completed', 'completed'],
  ['estimated', 'completed'],
  ['aborted_partial', 'interrupted'],
  ['upstream_failed_free', 'failed'],
])('a request that was billed as %s has the outcome %s', (billingReason, outcome) => {
  expect(toRequestEntry({ ...request, billingReason })).toMatchObject({
    outcome,
    costUsd: '0.000000012',
  });
});

it('an entry has the status of the response to the caller and that of the provider', () => {
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

it('one entry stands for all equal refusals', () => {
  const refused = { count: 3, firstAtMs: '400' };
  expect(toRequestEntry({ ...request, billingReason: '', clientStatus: 429, refused })).toMatchObject({
    outcome: 'refused',
    status: 429,
    endedAtMs: 1_000,
    refused: { count: 3, firstAtMs: 400 },
  });
});

const refusedThree = {
  ...request,
  billingReason: '',
  clientStatus: 429,
  refused: { count: 3, firstAtMs: '0' },
};
const cellsOf = (entry: Parameters<typeof toRequestRow>[0]) =>
  Object.fromEntries(toRequestRow(entry).map((cell, index) => [REQUEST_COLUMNS[index], cell]));

it('a CSV row says for how many requests it stands', () => {
  expect(cellsOf(toRequestEntry(refusedThree))).toMatchObject({
    outcome: 'refused',
    status: 429,
    requests: 3,
    first_at: '1970-01-01T00:00:00.000Z',
    ended_at: '1970-01-01T00:00:01.000Z',
  });
  const tags = { project: 'alpha', env: 'prod' };
  const ended = { ...refusedThree, billingReason: 'completed', clientStatus: 200, refused: null, tags };
  expect(cellsOf(toRequestEntry(ended))).toMatchObject({
    status: 200,
    requests: 1,
    first_at: null,
    tags: 'project=alpha,env=prod',
    end_user: null,
  });
});
