import { formatDateTime, formatRelative } from '../format/format-time.ts';

/** Shows a time relative to now, "3 minutes ago", with the exact time as tooltip. Unix milliseconds. */
export function Moment({ ms }: { ms: number }) {
  return (
    <time className="no-wrap" dateTime={new Date(ms).toISOString()} title={formatDateTime(ms)}>
      {formatRelative(ms)}
    </time>
  );
}
