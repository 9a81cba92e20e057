import type { PoolMessage } from '@model-gateway/contracts';
import type { HolderClient } from '../control-plane/holder-client.ts';

const MINUTE = 60;

/** What the account itself may draw on; comes with its usage, of which the last minute is the least to ask for. */
export async function accountPools(
  holder: Pick<HolderClient, 'getHolderUsage'>,
  accountId: string,
): Promise<PoolMessage[]> {
  const endTime = Math.floor(Date.now() / 1_000);
  const usage = await holder.getHolderUsage({
    accountId,
    startTime: endTime - MINUTE,
    endTime,
    bucketWidth: MINUTE,
    limit: 1,
  });
  return usage.pools;
}
