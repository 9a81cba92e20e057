import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { adviseOnError } from './advise-on-error.ts';

const failed = (status: number, retryAfterSeconds: number | null = null, code = 'x') =>
  new ApiError('It failed.', { status, code, retryAfterSeconds });

const aboutMoney = { text: 'Earn some.' };

test('too little money gets the advice about money', () => {
  expect(adviseOnError(failed(402), aboutMoney)).toBe(aboutMoney);
});

test('a rate limit gets the time to wait', () => {
  expect(adviseOnError(failed(429, 12), aboutMoney)?.text).toBe('Wait 12 s, then try again.');
  expect(adviseOnError(failed(429), aboutMoney)?.text).toBe('Wait a few seconds, then try again.');
});

test('a failure of the provider gets the advice to try again', () => {
  expect(adviseOnError(failed(503), aboutMoney)?.text).toMatch(/Try again/);
});

test('a model that is not configured gets no advice to try again, unlike an unavailable one', () => {
  expect(adviseOnError(failed(503, null, 'model_unavailable'), aboutMoney)?.text).toBe(
    'Choose another model.',
  );
  expect(adviseOnError(failed(503, 1, 'model_unavailable'), aboutMoney)?.text).toMatch(/Try again/);
});

test('an error that no retry helps gets the advice to choose another model', () => {
  const refused = new ApiError('It failed.', { status: 502, code: 'upstream_error', isRetryUseless: true });
  expect(adviseOnError(refused, aboutMoney)?.text).toBe('Choose another model.');
});

test('any other error gets no advice', () => {
  expect(adviseOnError(failed(400), aboutMoney)).toBeUndefined();
  expect(adviseOnError(new Error('bug'), aboutMoney)).toBeUndefined();
});
