import type { PoolMessage } from '@model-gateway/contracts';
import type { KeyOwner, PayerLevel } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';

/** The calls of operators about money. */
export function poolsOf(control: ControlPlanes) {
  const admin = at(control.admins, 0);
  return {
    add: (owner: PayerLevel, more: { includedUsd?: string; name?: string; resets?: string } = {}) =>
      admin.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', {
        owner,
        includedUsd: '5.00',
        resets: 'never',
        ...more,
      }),
    async list(owner: PayerLevel): Promise<PoolMessage[]> {
      const { pools } = await admin.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
      return pools;
    },
    verify: () => admin.call(CALL_DEADLINE_MS, 'pools', 'verifyLedger', {}),
  };
}

export interface LedgerRequest {
  requestId: string;
  cost: number;
  allowanceId?: string;
  endedAt?: string;
  /** By default account acct_test. */
  owner?: KeyOwner;
  keyId?: string;
}

/** Settles requests as the control plane does, without one. */
export async function settle(control: ControlPlanes, requests: readonly LedgerRequest[]): Promise<void> {
  const rows = requests.map(({ cost, owner, ...named }) =>
    usageRow({ ...named, ...owner, cost: String(cost), modelId: 'sim/chat-pro', usageSource: null }),
  );
  await settleRows(control.query, rows);
}

/** Sets money of account acct_test aside for a data plane that stays alive. */
export async function hold(control: ControlPlanes, allowanceId: string, nanoUsd: number): Promise<void> {
  await control.query(
    `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
     VALUES ('instance_test', 'elsewhere', 0, now() + interval '1 hour') ON CONFLICT DO NOTHING`,
  );
  await control.query(
    `SELECT * FROM acquire_allowance($1, 'instance_test', '{account:acct_test}', ARRAY[$2]::bigint[], 0)`,
    [allowanceId, nanoUsd],
  );
}
