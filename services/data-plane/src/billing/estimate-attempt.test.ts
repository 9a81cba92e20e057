import { type Usage, usageOf, VERDICTS } from '@model-gateway/dialects';
import { NO_UNITS, priceOf } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { estimateAttempt, type FailedAttempt, unusedReason } from './estimate-attempt.ts';

type Attempt = FailedAttempt['attempt'];

const COST = priceOf({ input_per_million_usd: '1', output_per_million_usd: '2' });
const SOLD = priceOf({ input_per_million_usd: '10', output_per_million_usd: '20' });
const model = { id: 'acme/large', price: { version: 1, selling: SOLD, cost: COST } };
const usage = usageOf('estimated', { inputTokens: 100, outputTokens: 7 });

function estimated(attempt: Attempt, isSent = true, used: Usage = usage, of = model as Priced): Attempt {
  const waiting = estimateAttempt({ estimateUnread: () => used }, { attempt, isSent, ms: 1 }, of);
  expect(waiting).toBeUndefined();
  return attempt;
}
type Priced = { id: string; price: (typeof model)['price'] | undefined };

describe('an attempt may be billed by its provider', () => {
  it.each<[string, Attempt, boolean]>([
    ['nothing came back', {}, true],
    ['the first byte took too long', { errorCode: 'upstream_timeout', verdict: VERDICTS.timed_out }, true],
    ['the connection broke before a response', { verdict: VERDICTS.connection_failed }, true],
    ['a response with 200 broke', { httpStatus: 200, verdict: VERDICTS.provider_failed }, true],
    ['a response with 200 took too long', { httpStatus: 200, verdict: VERDICTS.answer_too_long }, true],
    ['a response with 200 cannot be used', { httpStatus: 200, verdict: VERDICTS.caused_by_request }, true],
    // The provider may have answered before it had read all of an upload.
    ['the request is still being sent, and a 200 is there', { httpStatus: 200 }, false],
  ])('when %s', (_name, attempt, isSent) => {
    // 100 × 1,000 + 7 × 2,000 nano-USD, at the price of the provider, not of the payer.
    expect(estimated(attempt, isSent)).toMatchObject({ estimatedUnits: usage, estimatedCost: 114_000 });
  });
});

describe('an attempt has no estimate', () => {
  it.each<[string, Attempt, boolean]>([
    ['there was no connection', { verdict: VERDICTS.not_connected }, false],
    ['the request was not sent to its end', { verdict: VERDICTS.timed_out }, false],
    ...[400, 401, 404, 429, 500, 503, 504, 302].map((httpStatus): [string, Attempt, boolean] => [
      `it is answered ${httpStatus}`,
      { httpStatus, verdict: VERDICTS.provider_failed },
      true,
    ]),
    ['a 200 reports a rate limit', { httpStatus: 200, verdict: VERDICTS.limited }, true],
    ['a 200 refuses the credential', { httpStatus: 200, verdict: VERDICTS.credential_refused_in_body }, true],
    ['a 200 rejects the request', { httpStatus: 200, errorCode: 'upstream_rejected' }, true],
    ['its caller left it, and is charged', { cutOffAfterMs: 5 }, true],
    ['a 200 finds it too long', { httpStatus: 200, errorCode: 'context_length_exceeded' }, true],
  ])('when %s', (_name, attempt, isSent) => {
    const before = { ...attempt };
    expect(estimated(attempt, isSent)).toEqual(before);
  });

  it('when the call is free of units, such as one that counts tokens', () => {
    const attempt: Attempt = {};
    expect(estimateAttempt({}, { attempt, isSent: true, ms: 1 }, model)).toBeUndefined();
    expect(attempt).toEqual({});
  });
});

describe('an estimate', () => {
  it('of a free model has units and no cost', () => {
    const attempt = estimated({}, true, usage, { id: 'acme/free', price: undefined });
    expect(attempt).toEqual({ estimatedUnits: usage });
  });

  it('of several models is the sum of their units, each at the price of its provider', () => {
    const cost = priceOf({ input_per_million_usd: '3' });
    const small = { id: 'acme/small', price: { version: 1, selling: SOLD, cost } };
    const parts = [
      { model, units: { ...NO_UNITS, inputTokens: 100 } },
      { model: small, units: { ...NO_UNITS, inputTokens: 10 } },
    ];
    expect(estimated({}, true, { ...usage, parts })).toEqual({
      estimatedUnits: { ...NO_UNITS, inputTokens: 110 },
      estimatedCost: 130_000,
    });
  });

  it('of a stream is its own, and gets the time since the request was sent', () => {
    const attempt: Attempt = {};
    const call = {
      estimateUnread: () => usageOf('estimated', { inputTokens: 1 }),
      estimateUnused: (ms: number) => usageOf('estimated', { inputTokens: ms }),
    };
    expect(estimateAttempt(call, { attempt, isSent: true, ms: 5 }, model)).toBeUndefined();
    expect(attempt.estimatedCost).toBe(5_000);
  });

  it('that has to be measured is awaited', async () => {
    const attempt: Attempt = {};
    await estimateAttempt({ estimateUnread: async () => usage }, { attempt, isSent: true, ms: 1 }, model);
    expect(attempt.estimatedCost).toBe(114_000);
  });

  it.each([
    () => {
      throw new Error('no such text');
    },
    () => Promise.reject(new Error('no such file')),
  ])('that fails does not hide the failure of the attempt', async (estimateUnread) => {
    const attempt: Attempt = {};
    await estimateAttempt({ estimateUnread }, { attempt, isSent: true, ms: 1 }, model);
    expect(attempt).toEqual({});
  });
});

it.each([
  ['timeout', 'failed', 'upstream_timeout'],
  ['timeout', 'cut', 'upstream_timeout'],
  ['cut', 'client_gone', undefined],
  ['cut', 'cut', undefined],
  ['failed', 'failed', 'upstream_error'],
  ['failed', 'completed', 'upstream_error'],
])('the reason is %s for an attempt that ended as %s with the code %s', (reason, outcome, errorCode) => {
  expect(unusedReason({ outcome, errorCode })).toBe(reason);
});
