import type { ControlPlaneClient, ListPoolsResponseMessage, PoolMessage } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

const INCLUDED_USD = '5.00';

/**
 * What the demo account has left for paid models. Without any pool it gets one, full again every month; one that is
 * used up, or that others were put beside, stays as it is.
 * @returns nano-USD
 */
export async function demoCredit(client: ControlPlaneClient): Promise<bigint> {
  const owner = { account: DEMO_EMAIL };
  const { pools } = await client.call<ListPoolsResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.pools.listPools({ owner }, ...rest),
  );
  if (pools.length > 0) return pools.reduce((sum, { remaining }) => sum + BigInt(remaining), 0n);
  const pool = await client.callOnce<PoolMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.pools.addPool({ owner, includedUsd: INCLUDED_USD, resets: 'monthly' }, ...rest),
  );
  return BigInt(pool.remaining);
}
