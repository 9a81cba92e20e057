import { describe, expect, it } from 'vitest';
import { describeAttempt, describeOutcome, describeResponse } from './describe-receipt.ts';

const attempt = { provider: 'sim', model: 'sim/chat-pro', durationMs: 1 };
const failed = (httpStatus: number | null, errorCode: string) => ({
  billingReason: 'upstream_failed_free' as const,
  errorCode,
  attempts: [{ ...attempt, httpStatus, errorCode }],
});

describe('what is said of a request that failed', () => {
  it.each([400, 413, 422])('a provider that rejected it with %s did answer', (status) => {
    const { name, meaning } = describeOutcome(failed(status, 'upstream_rejected'));
    expect(name).toMatch(/^Rejected/);
    expect(meaning).toMatch(/^The provider answered /);
    expect(meaning).not.toMatch(/no provider/i);
    expect(meaning).toContain('costs nothing');
  });

  it.each([
    [429, 'upstream_rate_limited', /^The provider answered /],
    [null, 'upstream_timeout', /did not answer in time/],
    [500, 'upstream_error', /^No provider returned a usable response/],
  ])('%s, %s', (status, code, meaning) => {
    expect(describeOutcome(failed(status, code)).meaning).toMatch(meaning);
    // An old record does not hold the answer to the caller, so its last attempt counts.
    expect(describeOutcome({ ...failed(status, code), errorCode: null }).meaning).toMatch(meaning);
  });
});

it.each([
  [{ status: 200, errorCode: null }, '200'],
  [{ status: 502, errorCode: 'upstream_error' }, '502 upstream_error'],
  [{ status: 200, errorCode: 'upstream_error' }, '200, then upstream_error'],
  [{ status: 499, errorCode: null }, 'you had disconnected'],
  [{ status: null, errorCode: 'upstream_error' }, 'upstream_error'],
  [{ status: null, errorCode: null }, undefined],
])('a caller that was answered %j reads "%s"', (answer, words) => {
  expect(describeResponse(answer)).toBe(words);
});

it.each([
  [500, 'upstream_error', '500, upstream_error'],
  [null, 'upstream_timeout', 'No answer (upstream_timeout)'],
  [200, null, 'Answered with 200'],
  [null, null, 'Ended before it answered'],
])('an attempt that got %s and ended with %s: %s', (httpStatus, errorCode, words) => {
  expect(describeAttempt({ ...attempt, httpStatus, errorCode })).toBe(words);
});
