import type { AccountMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp } from './timestamp.ts';
import { shortenUsd, usd } from './usd.ts';

type AccountJson = ReturnType<typeof accountJson>;

/** @throws when the answer of the control plane holds no account */
export function accountJson(account: AccountMessage | null) {
  if (account === null) throw new Error('the control plane answered without an account');
  const { id, email, name, createdAtMs, priceListId, timezone, weekStarts } = account;
  return {
    id,
    email,
    name,
    status: accountStatus(account),
    created_at: isoTimestamp(createdAtMs),
    timezone,
    week_starts: weekStarts,
    price_list_id: priceListId ?? null,
  };
}

export type ListedAccountJson = ReturnType<typeof listedAccountJson>;

/**
 * `left_usd`: money left in the account's own pools; null: one of them is unlimited, or an earlier release of
 * the control plane did not send it.
 */
export function listedAccountJson(account: AccountMessage) {
  const { left, unlimited } = account;
  return {
    ...accountJson(account),
    left_usd: left === undefined || unlimited ? null : usd(left),
    unlimited,
  };
}

function accountStatus({ suspendedAtMs, deletedAtMs }: AccountMessage): 'active' | 'suspended' | 'deleted' {
  if (deletedAtMs !== undefined) return 'deleted';
  return suspendedAtMs === undefined ? 'active' : 'suspended';
}

export function accountTable(accounts: readonly AccountJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'EMAIL', 'NAME', 'CREATED', 'STATUS'],
    accounts.map(({ id, email, name, created_at, status }) => [id, email, name, created_at, status]),
    options,
  );
}

export function listedAccountTable(accounts: readonly ListedAccountJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'EMAIL', 'NAME', 'LEFT USD', 'CREATED', 'STATUS'],
    accounts.map(({ id, email, name, left_usd, unlimited, created_at, status }) => [
      id,
      email,
      name,
      left_usd === null ? (unlimited ? 'unlimited' : '-') : shortenUsd(left_usd),
      created_at,
      status,
    ]),
    options,
  );
}
