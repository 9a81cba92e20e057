import { withPatience } from '@model-gateway/service-kit';

/** Thrown when no reply came in time. Redis may have run the command, or may still run it. */
export class RedisTimeoutError extends Error {
  override readonly name = 'RedisTimeoutError';
}

/**
 * Waits for a reply. Time in which this process was too busy to read it does not count.
 * @throws RedisTimeoutError after `timeoutMs`, or whatever `call` threw
 */
export function withDeadline<Value>(call: Promise<Value>, timeoutMs: number): Promise<Value> {
  const answer = call.catch((error: unknown) => {
    throw isTimeout(error) ? timedOut(error) : error;
  });
  return withPatience(answer, timeoutMs, () => new RedisTimeoutError(`no answer within ${timeoutMs} ms`));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

function timedOut(cause: unknown): RedisTimeoutError {
  return new RedisTimeoutError('no answer in time', { cause });
}
