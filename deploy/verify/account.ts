import { z } from 'zod';
import type { Stack } from './stack.ts';

const created = z.object({ id: z.string() });
const createdKey = z.object({ key: z.string() });
const usage = z.object({ totals: z.object({ requests: z.number() }) });

/** Each drill has an account of its own, so that its requests can be counted. */
export interface Account {
  id: string;
  key: string;
}

export interface AccountOptions {
  /** Whether its limits are far above what a drill sends. */
  unlimited: boolean;
}

export async function createAccount(
  stack: Stack,
  name: string,
  { unlimited }: AccountOptions,
): Promise<Account> {
  const { id } = created.parse(
    await stack.gatewayctl('accounts', 'create', '--email', `${name}@verify.example`),
  );
  if (unlimited) {
    const limits = ['--free-per-minute', '100000', '--paid-per-minute', '100000', '--streams', '500'];
    await stack.gatewayctl('limits', 'set', '--account', id, ...limits);
  }
  await stack.gatewayctl('pools', 'add', '--account', id, '--usd', '100.00');
  const { key } = createdKey.parse(await stack.gatewayctl('keys', 'create', '--account', id, '--name', name));
  return { id, key };
}

/** How many requests of an account are on record. */
export async function requestsOnRecord(stack: Stack, { id }: Account): Promise<number> {
  return usage.parse(await stack.gatewayctl('usage', '--account', id)).totals.requests;
}
