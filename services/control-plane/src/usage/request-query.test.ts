import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { encodeRequestCursor } from './request-cursor.ts';
import { parseRequestQuery } from './request-query.ts';

const valid: ListHolderRequestsRequestMessage = {
  accountId: 'acct_a',
  startMs: '1000',
  endMs: '2000',
  withRefused: false,
  labels: [],
  limit: 50,
};

const VISIBLE = { accountId: 'acct_a', memberId: undefined };

it('a request query continues where the previous page ended', () => {
  const cursor = { endedAtMs: 1_500, requestId: 'req_a' };
  expect(parseRequestQuery({ ...valid, pageToken: encodeRequestCursor(cursor) }, VISIBLE)).toEqual({
    ...VISIBLE,
    seatId: undefined,
    withRefused: false,
    labels: [],
    startMs: 1_000,
    endMs: 2_000,
    modelId: undefined,
    keyId: undefined,
    limit: 50,
    after: cursor,
  });
});

it.each<[string, Partial<ListHolderRequestsRequestMessage>]>([
  ['its pages have no requests', { limit: 0 }],
  ['its pages have more than a thousand requests', { limit: 1_001 }],
  ['it ends before it starts', { startMs: '2000' }],
  ['it starts before 1970', { startMs: '-1' }],
  ['its end is not a time', { endMs: '99999999999000001' }],
  ['its page token is invalid', { pageToken: 'x' }],
])('a request query is refused when %s', (_, changes) => {
  expect(() => parseRequestQuery({ ...valid, ...changes }, VISIBLE)).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  );
});
