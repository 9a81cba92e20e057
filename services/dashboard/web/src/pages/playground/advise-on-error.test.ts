import { expect, test } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { adviseOnError } from './advise-on-error.ts';

const failed = (status: number, retryAfterSeconds: number | null = null, code = 'x') =>
  new ApiError('It failed.', { status, code, retryAfterSeconds });

const aboutMoney = { text: 'Earn some.' };

test('who has no money left is told what there is to do about it', () => {
  expect(adviseOnError(failed(402), aboutMoney)).toBe(aboutMoney);
});

test('who was too fast is told how long to wait', () => {
  expect(adviseOnError(failed(429, 12), aboutMoney)?.text).toBe('Wait 12 s, then try again.');
  expect(adviseOnError(failed(429), aboutMoney)?.text).toBe('Wait a few seconds, then try again.');
});

test('trouble of the provider is worth another try', () => {
  expect(adviseOnError(failed(503), aboutMoney)?.text).toMatch(/Try again/);
});

test('a model that is not configured is not worth another try, unlike one that is away', () => {
  expect(adviseOnError(failed(503, null, 'model_unavailable'), aboutMoney)?.text).toBe(
    'Choose another model.',
  );
  expect(adviseOnError(failed(503, 1, 'model_unavailable'), aboutMoney)?.text).toMatch(/Try again/);
});

test('a provider that does not accept the credential of the gateway is not worth one', () => {
  const refused = new ApiError('It failed.', { status: 502, code: 'upstream_error', isRetryUseless: true });
  expect(adviseOnError(refused, aboutMoney)?.text).toBe('Choose another model.');
});

test('a message that says it all gets no advice', () => {
  expect(adviseOnError(failed(400), aboutMoney)).toBeUndefined();
  expect(adviseOnError(new Error('bug'), aboutMoney)).toBeUndefined();
});
