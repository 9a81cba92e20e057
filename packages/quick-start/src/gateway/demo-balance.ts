import { type ControlPlaneClient, leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

const INCLUDED_USD = '5.00';

/** The balance of all pools together, in nano-USD. */
export interface DemoBalance {
  /** The money that is not used yet. */
  left: bigint;
  /**
   * The part of it that is set aside for requests at this moment, also for those of an earlier start that was
   * killed.
   */
  reserved: bigint;
}

/**
 * Returns what the demo account has left for paid models. If it has no pool at all, it gets one that is full
 * again every month. A pool that is used up, or that stands beside others, stays as it is.
 */
export async function demoBalance(client: ControlPlaneClient): Promise<DemoBalance> {
  const owner = { kind: 'account', id: DEMO_EMAIL };
  const { pools } = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
  if (pools.length > 0) return balanceOf(pools);
  const pool = await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', {
    owner,
    includedUsd: INCLUDED_USD,
    resets: 'monthly',
  });
  return balanceOf([pool]);
}

function balanceOf(pools: readonly PoolMessage[]): DemoBalance {
  return {
    left: pools.reduce((sum, pool) => sum + leftInPool(pool), 0n),
    reserved: pools.reduce((sum, { held }) => sum + BigInt(held), 0n),
  };
}
