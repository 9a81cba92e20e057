import type { Service } from '../processes/service.ts';
import { applyCatalog, asAdmin, createAccount, createAccountKey } from './as-admin.ts';
import { benchCatalog } from './bench-catalog.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import type { GatewaySettings } from './gateway-settings.ts';

/** Money that no measurement exhausts. */
const POOL_USD = '1000000';
/** The highest possible limit: 16,000 a second for each key. */
export const RAISED_LIMIT = 1_000_000;

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
  controlPlane: Pick<Service, 'address'>,
  settings: GatewaySettings,
  database: GatewayDatabase,
  { providerUrl, size }: { providerUrl: string; size: GatewaySize },
): Promise<Seeded> {
  return await asAdmin(controlPlane, settings, async (admin) => {
    await applyCatalog(admin, benchCatalog(providerUrl, size.models));
    const limits = size.raiseLimits ? { perMinute: RAISED_LIMIT } : {};
    const accounts: string[] = [];
    for (let index = 0; index < size.accounts; index++) {
      const email = `bench-${index}@example.com`;
      accounts.push(await createAccount(admin, { email, poolUsd: POOL_USD, ...limits }));
    }
    const rawKeys = await database.insertKeys(size.keys, accounts, settings.pepper);
    const limited = { email: 'limited@example.com', poolUsd: POOL_USD, perMinute: LIMIT_OF_LIMITED_KEY };
    return { rawKeys, limitedKey: await createAccountKey(admin, limited) };
  });
}
