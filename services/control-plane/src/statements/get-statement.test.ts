import { expect, it } from 'vitest';
import { getStatement } from './get-statement.ts';
import type { StatementRow } from './statement-store.ts';

function entry(kind: string, amount: bigint): StatementRow {
  const usage = { keyId: '', keyName: '', teamId: null, teamName: null, modelId: '', requests: 0n };
  return { row: 'entry', kind, amount, ...usage };
}

it('expired credit is apart from other changes of the balance', async () => {
  const rows = [entry('', 7n), entry('included', 5n), entry('expired', -4n), entry('charge', -2n)];
  const context = { statementStore: { read: async () => [...rows, entry('correction', 1n)] } };
  const account = { id: 'acct_1', email: 'ada@example.com', name: 'Ada' };
  expect(await getStatement(context, account, '2026-10', new AbortController().signal)).toMatchObject({
    opening: '7',
    credits: [{ kind: 'included', amount: '5' }],
    lapsed: '4',
    spent: '1',
    closing: '7',
  });
});
