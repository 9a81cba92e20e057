import type { StatusResponse } from '../../../../wire/status.ts';
import { formatCount } from '../../format/format-count.ts';

type Waiting = NonNullable<NonNullable<StatusResponse['models']>['data'][number]['waiting']>;

/** Describes the calls that wait for a provider, like `gatewayctl status`. */
export function describeWaiting({ calls, longest_seconds }: Waiting): string {
  return (
    `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'} waiting for ` +
    `${formatCount(longest_seconds)} s`
  );
}
