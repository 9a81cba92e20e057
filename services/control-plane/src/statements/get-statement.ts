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
  const inMonth = entries.filter(({ period }) => period === 'month');
  const spent = -total(inMonth.filter(({ kind }) => SPENT.has(kind)));
  const counted = countLimited(entries).filter(({ period }) => period !== 'after');
  const opening = counted.filter(({ period }) => period === 'before');
  const changes = counted.filter(({ period }) => period === 'month');
  const credits = Map.groupBy(
    changes.filter(({ kind }) => kind !== 'expired' && !SPENT.has(kind)),
    ({ kind }) => kind,
  );
  return {
    accountId: account.id,
    email: account.email,
    name: account.name,
    month,
    opening: String(total(opening)),
    openingUnlimited: endsUnlimited(entries.filter(({ period }) => period === 'before')),
    credits: [...credits]
      .map(([kind, of]) => ({ kind, amount: String(total(of)) }))
      .filter(({ amount }) => amount !== '0')
      .toSorted((a, b) => a.kind.localeCompare(b.kind)),
    lapsed: String(-total(changes.filter(({ kind }) => kind === 'expired'))),
    spent: String(spent),
    spentUnlimited: String(spent + total(changes.filter(({ kind }) => SPENT.has(kind)))),
    closing: String(total(counted)),
    closingUnlimited: endsUnlimited(entries.filter(({ period }) => period !== 'after')),
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

/**
 * Counts the balance of limited pools. Entries of an unlimited pool do not count. The entry that makes it
 * limited counts as what it then has left.
 * @param entries all of the pools, in any order
 */
function countLimited(entries: readonly StatementRow[]): StatementRow[] {
  return [...Map.groupBy(entries, ({ poolId }) => poolId).values()].flatMap((ofPool) => {
    let left = 0n;
    return ofPool.toSorted(inOrder).map((entry) => {
      const { amount, unlimited, isTurn } = entry;
      left += amount;
      if (isTurn) return { ...entry, amount: unlimited ? amount - left : left };
      return { ...entry, amount: unlimited ? 0n : amount };
    });
  });
}

/** Returns true if one of the pools is unlimited after these entries. Removed and expired ones are not. */
function endsUnlimited(entries: readonly StatementRow[]): boolean {
  return [...Map.groupBy(entries, ({ poolId }) => poolId).values()].some(
    (ofPool) =>
      ofPool.toSorted(inOrder).at(-1)?.unlimited === true &&
      !ofPool.some(({ kind }) => kind === 'removed' || kind === 'expired'),
  );
}

function inOrder(a: StatementRow, b: StatementRow): number {
  return compare(a.since, b.since) || Number(b.isTurn) - Number(a.isTurn);
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
