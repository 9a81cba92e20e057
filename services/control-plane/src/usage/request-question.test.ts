import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { encodePlace } from './request-page.ts';
import { requestQuestion } from './request-question.ts';

const valid: ListHolderRequestsRequestMessage = {
  accountId: 'acct_a',
  startMs: '1000',
  endMs: '2000',
  withRefused: false,
  limit: 50,
};

it('a question continues where the previous page ended', () => {
  const place = { endedAtMs: 1_500, requestId: 'req_a' };
  expect(requestQuestion({ ...valid, pageToken: encodePlace(place) })).toEqual({
    accountId: 'acct_a',
    seatId: undefined,
    withRefused: false,
    startMs: 1_000,
    endMs: 2_000,
    modelId: undefined,
    keyId: undefined,
    limit: 50,
    after: place,
  });
});

it.each<[string, Partial<ListHolderRequestsRequestMessage>]>([
  ['no page has requests', { limit: 0 }],
  ['a page is larger than a thousand', { limit: 1_001 }],
  ['it ends before it starts', { startMs: '2000' }],
  ['it starts before 1970', { startMs: '-1' }],
  ['its end is no time', { endMs: '99999999999000001' }],
  ['its page is none', { pageToken: 'x' }],
])('a request question is refused when %s', (_, changes) => {
  expect(() => requestQuestion({ ...valid, ...changes })).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  );
});
