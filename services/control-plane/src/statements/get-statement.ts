import { invalidArgument } from '../errors/control-plane-error.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { Piece } from '../roll-ups/usage-sums-store.ts';
import type { StatementRow, StatementStore } from './statement-store.ts';

export interface GetStatementContext {
  statementStore: Pick<StatementStore, 'read'>;
}

interface StatementAccount {
  id: string;
  email: string;
  name: string;
}

const DAY_SECONDS = 86_400;
const SPENT = new Set(['charge', 'correction']);
/** Kinds of the ledger for money that a pool lost because its time was over. */
const LAPSED = new Set(['expired', 'lapsed']);

/**
 * Returns what became of the money of an account in a month.
 * @param month such as 2026-11, UTC
 * @throws ControlPlaneError invalid_argument (no month, or one that has not begun)
 */
export async function getStatement(
  { statementStore }: GetStatementContext,
  account: StatementAccount,
  month: string,
  signal: AbortSignal,
) {
  const rows = await statementStore.read(account.id, parseMonth(month), signal);
  const entries = rows.filter(({ row }) => row === 'entry');
  const usage = rows.filter(({ row }) => row === 'usage');
  const sumOf = (matches: (kind: string) => boolean) => total(entries.filter(({ kind }) => matches(kind)));
  const spent = -sumOf((kind) => SPENT.has(kind));
  const credits = entries.filter(
    ({ kind, amount }) => kind !== '' && amount !== 0n && !SPENT.has(kind) && !LAPSED.has(kind),
  );
  return {
    accountId: account.id,
    email: account.email,
    name: account.name,
    month,
    opening: String(sumOf((kind) => kind === '')),
    credits: credits
      .map(({ kind, amount }) => ({ kind, amount: String(amount) }))
      .toSorted((a, b) => a.kind.localeCompare(b.kind)),
    lapsed: String(-sumOf((kind) => LAPSED.has(kind))),
    spent: String(spent),
    closing: String(sumOf(() => true)),
    models: linesOf(usage, ({ modelId }) => ({ id: modelId, name: '', teamId: null, teamName: null })),
    keys: linesOf(usage, ({ keyId, keyName, teamId, teamName }) => ({
      id: keyId,
      name: keyName,
      teamId,
      teamName,
    })),
    otherMonth: String(spent - total(usage)),
  };
}

interface LineOwner {
  id: string;
  name: string;
  teamId: string | null;
  teamName: string | null;
}

/** Sums usage by line, most expensive first. */
function linesOf(usage: readonly StatementRow[], ownerOf: (row: StatementRow) => LineOwner) {
  const lines = Map.groupBy(usage, (row) => JSON.stringify(ownerOf(row)));
  return [...lines.values()]
    .map((rows) => ({
      rows,
      amount: total(rows),
      requests: rows.reduce((sum, { requests }) => sum + requests, 0n),
    }))
    .toSorted((a, b) => compare(b.amount, a.amount) || compare(b.requests, a.requests))
    .flatMap(({ rows: [first], amount, requests }) =>
      first === undefined
        ? []
        : [{ ...withoutNulls(ownerOf(first)), requests: String(requests), amount: String(amount) }],
    );
}

function withoutNulls({ id, name, ...team }: LineOwner) {
  return { id, name, ...omitAbsent(team) };
}

function total(rows: readonly Pick<StatementRow, 'amount'>[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

function parseMonth(text: string): Piece {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) throw invalidArgument('a month is written as 2026-11');
  const start = Date.UTC(Number(year), Number(month) - 1);
  if (start > Date.now()) throw invalidArgument(`${text} has not begun`);
  return { width: DAY_SECONDS, start: start / 1_000, end: Date.UTC(Number(year), Number(month)) / 1_000 };
}
