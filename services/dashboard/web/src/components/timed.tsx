import { formatRecent } from '../format/format-time.ts';

/** Shows a time in the reader's zone, in UTC as tooltip. Unix milliseconds. */
export function Timed({ ms }: { ms: number }) {
  const utc = new Date(ms).toISOString();
  return (
    <time className="no-wrap" dateTime={utc} title={utc}>
      {formatRecent(ms)}
    </time>
  );
}
