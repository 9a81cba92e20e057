import { expect, it } from 'vitest';
import { toRequestEntry } from './request-entry.ts';
import { REQUEST_COLUMNS, toRequestRow } from './request-row.ts';

const request = {
  requestId: 'req_1',
  endedAtMs: '1000',
  modelId: 'a',
  capability: 'chat',
  keyId: 'key_1',
  keyName: 'One',
  keyKind: 'issued',
  units: null,
  billingReason: '',
  cost: '0',
  latencyMs: 0,
  clientStatus: 429,
  refused: { count: 3, firstAtMs: '0' },
};

const cellsOf = (entry: Parameters<typeof toRequestRow>[0]) =>
  Object.fromEntries(toRequestRow(entry).map((cell, index) => [REQUEST_COLUMNS[index], cell]));

it('a line of a file says for how many requests it stands', () => {
  expect(cellsOf(toRequestEntry(request))).toMatchObject({
    outcome: 'refused',
    status: 429,
    requests: 3,
    first_at: '1970-01-01T00:00:00.000Z',
    ended_at: '1970-01-01T00:00:01.000Z',
  });
  const ended = { ...request, billingReason: 'completed', clientStatus: 200, refused: null };
  expect(cellsOf(toRequestEntry(ended))).toMatchObject({ status: 200, requests: 1, first_at: null });
});
