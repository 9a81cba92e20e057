import { type TestGateway, watchLag } from '@model-gateway/test-kit';
import { expect } from 'vitest';

/** Expects that the provider sees its request closed within 100 ms after `abort` is called. */
export async function expectClosedAtOnce(gateway: TestGateway, abort: () => void): Promise<void> {
  const request = await gateway.provider.waitForRequest();
  using lag = watchLag();
  const abortedAtMs = performance.now();
  abort();
  const { atMs, reason } = await request.closed;
  expect(reason).toBe('client_closed');
  expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
}

/** Returns the error of a client's own class with which a call fails. */
export async function failureOf<Failure>(
  call: PromiseLike<unknown>,
  ownClass: abstract new (...parameters: never) => Failure,
): Promise<Failure> {
  const error: unknown = await call.then(
    () => new Error('the call did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ownClass) return error;
  throw error;
}

/** A key of an account that may send one free request a minute. */
export async function createLimitedKey(gateway: TestGateway): Promise<string> {
  const { accountId, rawKey } = await gateway.createKey();
  await gateway.admin.call(10_000, 'accounts', 'setLimits', {
    account: accountId,
    freePerMinute: { value: 1 },
  });
  return rawKey;
}

/** A key of an account without any money. */
export async function createPoorKey(gateway: TestGateway): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { id } = await gateway.admin.call(10_000, 'accounts', 'createAccount', { email, name: 'Poor' });
  return (await gateway.createKey(id)).rawKey;
}

/** Faults in the middle of a stream, as the simulated provider takes them. */
export const BROKEN_STREAMS = [
  ['is cut', { truncate: { after_events: 6 } }],
  ['is reset', { reset: { after_events: 6 } }],
  ['has an error event', { sse: 'error_event' }],
  ['has rubbish in it', { rubbish: 'bad_chunk' }],
] as const;
