import { formatDateTime, formatRecent, formatRelative, formatUtc } from '../format/format-time.ts';

const FORMS = { relative: formatRelative, recent: formatRecent, full: formatDateTime };

interface MomentProps {
  /** Unix milliseconds. */
  ms: number;
  /** Default: relative to now, such as "3 minutes ago". The other forms are in the reader's zone. */
  form?: keyof typeof FORMS;
}

/** Shows a time, with the exact time in the reader's zone and in UTC as tooltip. */
export function Moment({ ms, form = 'relative' }: MomentProps) {
  return (
    <time
      className="no-wrap"
      dateTime={new Date(ms).toISOString()}
      title={`${formatDateTime(ms)} (${formatUtc(ms)})`}
    >
      {FORMS[form](ms)}
    </time>
  );
}
