import type { PoolServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { addPool } from '../pools/add-pool.ts';
import { changePool } from '../pools/change-pool.ts';
import { listPools } from '../pools/list-pools.ts';
import { poolMessage } from '../pools/pool-message.ts';
import { removePool } from '../pools/remove-pool.ts';
import { verifyLedger } from '../pools/verify-ledger.ts';
import { unary } from './unary.ts';

export function poolService(context: ControlPlaneContext): PoolServiceHandlers {
  return {
    AddPool: unary(context, 'AddPool', async (request) => poolMessage(await addPool(context, request))),
    ListPools: unary(context, 'ListPools', async ({ owner }) => ({
      pools: (await listPools(context, owner)).map(poolMessage),
    })),
    ChangePool: unary(context, 'ChangePool', async (request) =>
      poolMessage(await changePool(context, request)),
    ),
    RemovePool: unary(context, 'RemovePool', async ({ poolId }) => {
      const { pool, taken } = await removePool(context, poolId);
      return { pool: poolMessage(pool), taken: String(taken) };
    }),
    VerifyLedger: unary(context, 'VerifyLedger', async (_request, signal) => {
      const { counts, disagreements } = await verifyLedger(context, signal);
      return {
        pools: String(counts.pools),
        usageRecords: String(counts.usageRecords),
        ledgerEntries: String(counts.ledgerEntries),
        disagreements,
      };
    }),
  };
}
