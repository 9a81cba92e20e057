/**
 * A moment as sentences about the status name it: `10:02 UTC` of today, else `2026-11-21 10:02 UTC`. In UTC,
 * because the sentence is written before it is known who reads it.
 * @param timeMs Unix milliseconds, as `nowMs`
 */
export function utcMinute(timeMs: number, nowMs: number): string {
  const [day, time] = parts(timeMs);
  return day === parts(nowMs)[0] ? `${time} UTC` : `${day} ${time} UTC`;
}

function parts(timeMs: number): [day: string, time: string] {
  const text = new Date(timeMs).toISOString();
  return [text.slice(0, 10), text.slice(11, 16)];
}
