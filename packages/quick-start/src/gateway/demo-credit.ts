import { type ControlPlaneClient, leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

const INCLUDED_USD = '5.00';

/** Of all pools together, in nano-USD. */
export interface DemoCredit {
  /** Not used yet. */
  left: bigint;
  /** The part of it set aside for requests at this moment, also for those of a start that was killed. */
  reserved: bigint;
}

/**
 * What the demo account has left for paid models. Without any pool it gets one, full again every month; one
 * that is used up, or that others were put beside, stays as it is.
 */
export async function demoCredit(client: ControlPlaneClient): Promise<DemoCredit> {
  const owner = { account: DEMO_EMAIL };
  const { pools } = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
  if (pools.length > 0) return creditOf(pools);
  const pool = await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', {
    owner,
    includedUsd: INCLUDED_USD,
    resets: 'monthly',
  });
  return creditOf([pool]);
}

function creditOf(pools: readonly PoolMessage[]): DemoCredit {
  return {
    left: pools.reduce((sum, pool) => sum + leftInPool(pool), 0n),
    reserved: pools.reduce((sum, { held }) => sum + BigInt(held), 0n),
  };
}
