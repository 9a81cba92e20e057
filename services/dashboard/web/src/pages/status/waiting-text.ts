import type { StatusAnswer } from '../../../../wire/status.ts';
import { formatCount } from '../../format/format-count.ts';

type Waiting = NonNullable<NonNullable<StatusAnswer['models']>['data'][number]['waiting']>;

/** Which calls wait for a provider, in the words of `gatewayctl status`. */
export function waitingText({ calls, longest_seconds }: Waiting): string {
  return (
    `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'} waiting for ` +
    `${formatCount(longest_seconds)} s`
  );
}
