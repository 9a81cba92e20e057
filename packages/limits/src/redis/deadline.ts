/** Redis may have done what was asked, or may still do it. */
export class RedisTimeoutError extends Error {
  override readonly name = 'RedisTimeoutError';
}

/**
 * ioredis starts a command's clock when it writes it, which on a cluster comes after looking for the node.
 * This clock starts when the caller asks.
 * @throws RedisTimeoutError after `timeoutMs`, or whatever `call` threw
 */
export function withDeadline<Value>(call: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RedisTimeoutError(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    call
      .then(resolve, (error: unknown) => reject(isTimeout(error) ? timedOut(error) : error))
      .finally(() => clearTimeout(timer));
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

function timedOut(cause: unknown): RedisTimeoutError {
  return new RedisTimeoutError('no answer in time', { cause });
}
