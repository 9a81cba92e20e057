import { ControlPlaneClient } from '@model-gateway/contracts';
import { benchCatalog } from './bench-catalog.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import type { GatewaySettings } from './gateway-settings.ts';

const CALL_MS = 60_000;
const POOL_USD = '1000000';
/** The highest possible limit: 16,000 a second for each key. */
const RAISED_LIMIT = 1_000_000;

export interface GatewaySize {
  keys: number;
  accounts: number;
  models: number;
  /** True if each key is used more than 100 times a minute. */
  raiseLimits: boolean;
}

export interface Seeded {
  rawKeys: string[];
  /** This key may send `LIMIT_OF_LIMITED_KEY` requests a minute. */
  limitedKey: string;
}

export const LIMIT_OF_LIMITED_KEY = 5;

/** Inserts the catalog, accounts, money and keys. */
export async function seedGateway(
  controlPlane: string,
  settings: GatewaySettings,
  database: GatewayDatabase,
  { providerUrl, size }: { providerUrl: string; size: GatewaySize },
): Promise<Seeded> {
  const admin = new ControlPlaneClient({ addresses: [controlPlane], token: settings.adminToken, tls: {} });
  try {
    await admin.call(CALL_MS, 'catalog', 'applyCatalog', {
      documentJson: JSON.stringify(benchCatalog(providerUrl, size.models)),
    });
    const accounts: string[] = [];
    for (let index = 0; index < size.accounts; index++) {
      const accountId = await createAccount(admin, `bench-${index}@example.com`);
      if (size.raiseLimits) await setPaidLimit(admin, accountId, RAISED_LIMIT);
      accounts.push(accountId);
    }
    const rawKeys = await database.insertKeys(size.keys, accounts, settings.pepper);

    const limited = await createAccount(admin, 'limited@example.com');
    await setPaidLimit(admin, limited, LIMIT_OF_LIMITED_KEY);
    const { rawKey } = await admin.call(CALL_MS, 'accounts', 'createKey', {
      account: limited,
      name: 'limited',
    });
    return { rawKeys, limitedKey: rawKey };
  } finally {
    admin.close();
  }
}

/** Creates an account with a pool that no measurement exhausts. */
async function createAccount(admin: ControlPlaneClient, email: string): Promise<string> {
  const { id: account } = await admin.call(CALL_MS, 'accounts', 'createAccount', { email, name: 'Bench' });
  await admin.call(CALL_MS, 'pools', 'addPool', {
    owner: { kind: 'account', id: account },
    includedUsd: POOL_USD,
    resets: 'never',
    name: 'Bench',
  });
  return account;
}

/** Does the same as `gatewayctl limits set`. */
async function setPaidLimit(admin: ControlPlaneClient, account: string, value: number): Promise<void> {
  await admin.call(CALL_MS, 'accounts', 'setLimits', {
    account,
    paidPerMinute: { value },
    readsPerMinute: { value },
  });
}
