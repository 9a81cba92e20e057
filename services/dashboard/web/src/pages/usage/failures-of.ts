import type { RequestEntry } from '../../../../wire/requests.ts';
import { countOf } from '../../format/format-count.ts';

/**
 * Describes how many of the newest requests failed. Leaves out refused requests, as the number of requests
 * does: they reached no provider, and one entry stands for many of them.
 */
export function failuresOf(recent: readonly Pick<RequestEntry, 'outcome'>[]): {
  value: string;
  hint: string;
} {
  const reached = recent.filter(({ outcome }) => outcome !== 'refused');
  if (recent.length === 0) return { value: 'None', hint: 'No requests in this period' };
  if (reached.length === 0) return { value: 'None', hint: 'No recent request reached a provider' };
  const failed = reached.filter(({ outcome }) => outcome === 'failed').length;
  return {
    value: `${failed} of ${reached.length}`,
    hint: `Of the last ${countOf(reached.length, 'request')} that reached a provider, free of charge`,
  };
}
