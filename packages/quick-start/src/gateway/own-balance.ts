import { type ControlPlaneClient, leftInPool, type PoolMessage } from '@model-gateway/contracts';
import { OWN_ACCOUNT } from './accounts.ts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

/** The balance of all pools together, in nano-USD. */
export interface OwnBalance {
  /** The money that is not used yet; null: unlimited. */
  left: bigint | null;
  /** The part of `left` that is reserved for running requests, also of an earlier start that was killed. */
  reserved: bigint;
}

/**
 * Returns the balance of the user's account for paid models. An account without any pool gets an unlimited
 * one that counts usage by month: real providers have their own limits. Existing pools do not change, even if
 * they are used up.
 */
export async function ownBalance(client: ControlPlaneClient): Promise<OwnBalance> {
  const owner = { kind: 'account', id: OWN_ACCOUNT.email };
  const { pools } = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
  if (pools.length > 0) return balanceOf(pools);
  const pool = await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', {
    owner,
    unlimited: true,
    resets: 'monthly',
  });
  return balanceOf([pool]);
}

function balanceOf(pools: readonly PoolMessage[]): OwnBalance {
  const lefts = pools.map(leftInPool);
  return {
    left: lefts.includes(null) ? null : lefts.reduce<bigint>((sum, left) => sum + (left ?? 0n), 0n),
    reserved: pools.reduce((sum, { held }) => sum + BigInt(held), 0n),
  };
}
