/** Redis may have done what was asked, or may still do it. */
export class RedisTimeoutError extends Error {
  override readonly name = 'RedisTimeoutError';
}

/** Of a deadline: longer waits between two looks are this process' own delay, not that of Redis. */
const SLICE_MS = 25;
const MAX_COUNTED_MS = SLICE_MS + 10;

/**
 * A clock that starts when the caller asks, and that stands still while this process is too busy to listen: an
 * answer that lies unread in the socket must not count as none, or a burst of requests would switch the limits to
 * memory.
 * @throws RedisTimeoutError after `timeoutMs`, or whatever `call` threw
 */
export function withDeadline<Value>(call: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    let leftMs = timeoutMs;
    let lookedAtMs = performance.now();
    const look = () => {
      const now = performance.now();
      leftMs -= Math.min(now - lookedAtMs, MAX_COUNTED_MS);
      lookedAtMs = now;
      if (leftMs > 0) timer = setTimeout(look, Math.min(SLICE_MS, leftMs));
      // Timers come before sockets: what has arrived meanwhile is read first.
      else setImmediate(() => reject(new RedisTimeoutError(`no answer within ${timeoutMs} ms`)));
    };
    let timer = setTimeout(look, Math.min(SLICE_MS, timeoutMs));
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
