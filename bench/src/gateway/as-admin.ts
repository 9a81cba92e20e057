import { ControlPlaneClient } from '@model-gateway/contracts';
import type { Service } from '../processes/service.ts';
import type { GatewaySettings } from './gateway-settings.ts';

const CALL_MS = 60_000;
/** Comparing all records with the ledger takes its time. */
const VERIFY_MS = 600_000;

/** Calls the control plane as an operator. */
export async function asAdmin<Result>(
  { address }: Pick<Service, 'address'>,
  { adminToken }: Pick<GatewaySettings, 'adminToken'>,
  work: (admin: ControlPlaneClient) => Promise<Result>,
): Promise<Result> {
  const admin = new ControlPlaneClient({ addresses: [address], token: adminToken, tls: {} });
  try {
    return await work(admin);
  } finally {
    admin.close();
  }
}

export interface LedgerReport {
  records: number;
  disagreements: string[];
}

/** Does the same as `gatewayctl verify-ledger`. */
export async function verifyLedger(admin: ControlPlaneClient): Promise<LedgerReport> {
  const answer = await admin.call(VERIFY_MS, 'pools', 'verifyLedger', {});
  return {
    records: Number(answer.usageRecords),
    disagreements: answer.disagreements.map(({ kind, id, problem }) => `${kind} ${id}: ${problem}`),
  };
}

export async function applyCatalog(admin: ControlPlaneClient, document: object): Promise<void> {
  await admin.call(CALL_MS, 'catalog', 'applyCatalog', { documentJson: JSON.stringify(document) });
}

export interface NewAccount {
  email: string;
  /** The money of its pool, which is never refilled. */
  poolUsd: string;
  /** Default: the gateway's limit. */
  perMinute?: number;
}

/** @returns the id */
export async function createAccount(
  admin: ControlPlaneClient,
  { email, poolUsd: includedUsd, perMinute }: NewAccount,
): Promise<string> {
  const { id: account } = await admin.call(CALL_MS, 'accounts', 'createAccount', { email, name: 'Bench' });
  const owner = { kind: 'account', id: account };
  await admin.call(CALL_MS, 'pools', 'addPool', { owner, includedUsd, resets: 'never', name: 'Bench' });
  // Does the same as `gatewayctl limits set`.
  if (perMinute !== undefined) {
    const limit = { value: perMinute };
    await admin.call(CALL_MS, 'accounts', 'setLimits', {
      account,
      paidPerMinute: limit,
      readsPerMinute: limit,
    });
  }
  return account;
}

/** Creates an account with one key. @returns the raw key */
export async function createAccountKey(admin: ControlPlaneClient, account: NewAccount): Promise<string> {
  const id = await createAccount(admin, account);
  const { rawKey } = await admin.call(CALL_MS, 'accounts', 'createKey', { account: id, name: 'bench' });
  return rawKey;
}
