import { describe, expect, it } from 'vitest';
import { describeAttempt, describeOutcome, describeResponse } from './describe-receipt.ts';

const attempt = {
  provider: 'sim',
  model: 'sim/chat-pro',
  durationMs: 1,
  startedAtMs: null,
  timeToFirstTokenMs: null,
};
const failed = (httpStatus: number | null, errorCode: string) => ({
  billingReason: 'upstream_failed_free' as const,
  errorCode,
  attempts: [{ ...attempt, httpStatus, errorCode, error: null }],
});

describe('the description of a failed request', () => {
  it.each([400, 413, 422])('says that the provider rejected it, after status %s', (status) => {
    const { name, meaning } = describeOutcome(failed(status, 'upstream_rejected'));
    expect(name).toMatch(/^Rejected/);
    expect(meaning).toMatch(/^The provider rejected /);
    expect(meaning).not.toMatch(/no provider/i);
    expect(meaning).toContain('costs nothing');
  });

  it.each([
    [429, 'upstream_rate_limited', /^The rate limit of the provider/],
    [null, 'upstream_timeout', /did not respond in time/],
    [500, 'upstream_error', /^No provider returned a usable response/],
  ])('explains status %s with code %s', (status, code, meaning) => {
    expect(describeOutcome(failed(status, code)).meaning).toMatch(meaning);
    // Old records lack the caller's error code, so the code of the last attempt counts.
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
])('the response %j is described as "%s"', (response, text) => {
  expect(describeResponse(response)).toBe(text);
});

it.each([
  [500, 'upstream_error', null, '500, upstream_error'],
  [null, 'upstream_timeout', null, 'No response (upstream_timeout)'],
  [200, null, null, 'Responded with 200'],
  [null, null, null, 'Ended before a response'],
  [404, 'upstream_error', 'answered 404: no such model', 'Answered 404: no such model'],
])('an attempt with %s, %s and %s is described as "%s"', (httpStatus, errorCode, error, text) => {
  expect(describeAttempt({ ...attempt, httpStatus, errorCode, error })).toBe(text);
});
