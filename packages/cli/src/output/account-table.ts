import type { AccountMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp } from './timestamp.ts';

export type AccountJson = ReturnType<typeof accountJson>;

/** @throws when the answer of the control plane holds no account */
export function accountJson(account: AccountMessage | null) {
  if (account === null) throw new Error('the control plane answered without an account');
  const { id, email, name, createdAtMs } = account;
  return { id, email, name, status: accountStatus(account), created_at: isoTimestamp(createdAtMs) };
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
