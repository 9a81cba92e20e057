import { expect, test } from 'vitest';
import type { RequestOutcome } from '../../../../wire/requests.ts';
import { failuresOf } from './failures-of.ts';

test.each<[RequestOutcome[], string, string]>([
  [[], 'None', 'No requests in this period'],
  [['refused'], 'None', 'No recent request reached a provider'],
  [['completed'], '0 of 1', 'Of the last 1 request that reached a provider, free of charge'],
  [
    ['completed', 'refused', 'failed', 'interrupted'],
    '1 of 3',
    'Of the last 3 requests that reached a provider, free of charge',
  ],
])('of the requests %j the failed ones are %s', (outcomes, value, hint) => {
  expect(failuresOf(outcomes.map((outcome) => ({ outcome })))).toEqual({ value, hint });
});
