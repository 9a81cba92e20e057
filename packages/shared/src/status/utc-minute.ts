/**
 * Formats a moment for sentences about the status: `10:02 UTC` when it is today, else `2026-11-21 10:02 UTC`.
 * It is in UTC, because the reader's time zone is unknown.
 * @param timeMs Unix milliseconds, like `nowMs`
 */
export function utcMinute(timeMs: number, nowMs: number): string {
  const [day, time] = parts(timeMs);
  return day === parts(nowMs)[0] ? `${time} UTC` : `${day} ${time} UTC`;
}

function parts(timeMs: number): [day: string, time: string] {
  const text = new Date(timeMs).toISOString();
  return [text.slice(0, 10), text.slice(11, 16)];
}
