import { formatDateTime, formatRelative } from '../format/format-time.ts';

/** A point in time as one says it, "3 minutes ago"; the exact time is its tooltip. Unix milliseconds. */
export function Moment({ ms }: { ms: number }) {
  return (
    <time className="no-wrap" dateTime={new Date(ms).toISOString()} title={formatDateTime(ms)}>
      {formatRelative(ms)}
    </time>
  );
}
