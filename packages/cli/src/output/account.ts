import type { AccountMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './table.ts';
import { isoTimestamp } from './timestamp.ts';

export interface AccountJson {
  id: string;
  email: string;
  name: string;
  created_at: string;
}

export function accountJson({ id, email, name, createdAtMs }: AccountMessage): AccountJson {
  return { id, email, name, created_at: isoTimestamp(createdAtMs) };
}

export function accountTable(accounts: readonly AccountJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'EMAIL', 'NAME', 'CREATED'],
    accounts.map((account) => [account.id, account.email, account.name, account.created_at]),
    options,
  );
}
