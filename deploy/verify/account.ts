import { z } from 'zod';

const created = z.object({ id: z.string() });
const createdKey = z.object({ key: z.string() });
const usage = z.object({ totals: z.object({ requests: z.number() }) });

interface Managed {
  /** @returns the JSON output of a gatewayctl command. @throws when it fails */
  gatewayctl(...args: string[]): Promise<unknown>;
}

/** Each drill has its own account, so that its requests can be counted. */
export interface Account {
  id: string;
  key: string;
}

export interface AccountOptions {
  /** True for limits far above what a drill sends. */
  unlimited: boolean;
  /** Overrides the limit of free requests per minute. */
  freePerMinute?: number | undefined;
}

/** Requests per minute. */
const FAR_ABOVE = 100_000;

export async function createAccount(
  managed: Managed,
  name: string,
  { unlimited, freePerMinute = FAR_ABOVE }: AccountOptions,
): Promise<Account> {
  const { id } = created.parse(
    await managed.gatewayctl('accounts', 'create', '--email', `${name}@verify.example`),
  );
  if (unlimited) {
    const perMinute = ['--free-per-minute', `${freePerMinute}`, '--paid-per-minute', `${FAR_ABOVE}`];
    await managed.gatewayctl('limits', 'set', '--account', id, ...perMinute, '--streams', '500');
  }
  await managed.gatewayctl('pools', 'add', '--account', id, '--usd', '100.00');
  const { key } = createdKey.parse(
    await managed.gatewayctl('keys', 'create', '--account', id, '--name', name),
  );
  return { id, key };
}

export async function requestsOnRecord(managed: Managed, { id }: Account): Promise<number> {
  return usage.parse(await managed.gatewayctl('usage', '--account', id)).totals.requests;
}
