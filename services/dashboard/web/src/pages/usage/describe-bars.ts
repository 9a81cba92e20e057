import type { TimeBar } from '../../charts/bars-over-time.tsx';
import { type BucketWidth, bucketLabel } from '../../charts/bucket-label.ts';

/** Describes a chart in a sentence for screen readers; the table has the details. */
export function describeBars(
  name: string,
  bars: readonly TimeBar[],
  width: BucketWidth,
  format: (value: number) => string,
): string {
  const [first] = bars;
  const last = bars.at(-1);
  if (first === undefined || last === undefined) return `${name} per ${width}: nothing to show.`;
  const span = `from ${bucketLabel(first.startMs, width, true)} to ${bucketLabel(last.startMs, width, true)}`;
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return `${name} per ${width} ${span}: none.`;
  const top = bars.reduce((best, bar) => (bar.value > best.value ? bar : best), first);
  return (
    `${name} per ${width} ${span}: ${format(total)} together, ` +
    `the most on ${bucketLabel(top.startMs, width, true)} with ${format(top.value)}.`
  );
}
