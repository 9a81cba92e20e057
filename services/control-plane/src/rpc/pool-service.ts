import type { PoolServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { addPool } from '../owned-pools/add-pool.ts';
import { listPools } from '../owned-pools/list-pools.ts';
import { changePool } from '../pools/change-pool.ts';
import { poolMessage } from '../pools/pool-message.ts';
import { removePool } from '../pools/remove-pool.ts';
import { verifyLedger } from '../pools/verify-ledger.ts';
import { getStatement } from '../statements/get-statement.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

export function poolService(context: ControlPlaneContext): MethodsOf<PoolServiceHandlers> {
  return {
    AddPool: change(context, 'AddPool', 'operator', async (actor, request) =>
      poolMessage(await addPool(context, actor, request)),
    ),
    ListPools: read(context, 'ListPools', async (_, { owner }) => ({
      pools: (await listPools(context, owner)).map(poolMessage),
    })),
    ChangePool: change(context, 'ChangePool', 'operator', async (actor, request) =>
      poolMessage(await changePool(context, actor, request)),
    ),
    RemovePool: change(context, 'RemovePool', 'operator', async (actor, request) => {
      const { pool, taken } = await removePool(context, actor, request);
      return { pool: poolMessage(pool), taken: String(taken) };
    }),
    GetStatement: read(context, 'GetStatement', async (_, { account, month }, signal) =>
      getStatement(context, await context.accountStore.require(account), month, signal),
    ),
    VerifyLedger: read(context, 'VerifyLedger', async (_, _request, signal) => {
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
