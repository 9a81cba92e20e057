import { parseUsd, shortUsd } from '@model-gateway/shared';
import {
  BUDGET_WINDOWS,
  type BudgetRule,
  budgetId,
  type Rules,
  rules,
  ruleTimeMs,
} from '@model-gateway/shared/rules';
import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import type { WrittenRules } from './rules-change.ts';

const lockedRows = z.tuple([z.object({ isNew: z.boolean() })]);
const budgetWindow = z.enum(BUDGET_WINDOWS);

/**
 * Computes the new rules of an owner from its current ones.
 * @param current undefined: it has none
 * @returns undefined: it has none from now on
 */
export type RulesChange = (current: Rules | undefined) => Rules | undefined;

export class RulesStore extends PrismaStore {
  /** Returns rules by owner, without owners that have none. */
  async read(owners: readonly string[]): Promise<Map<string, Rules>> {
    return await readRules(this.prisma, owners);
  }
}

/**
 * Changes the rules and budgets of an owner, without telling data planes. Rules that restrict nothing are not
 * stored, except those of a named end user, which then has no rules instead of its account's template.
 */
export async function writeRules(
  transaction: Transaction,
  owner: string,
  change: RulesChange,
): Promise<WrittenRules> {
  // Locks the owner, so that concurrent changes of some members each see the other's.
  const [{ isNew }] = await queryRows(transaction, lockedRows)`
    INSERT INTO rules AS r (owner, rules) VALUES (${owner}, '{}')
    ON CONFLICT (owner) DO UPDATE SET updated_at = now() RETURNING xmax = 0 AS "isNew"`;
  const current = isNew ? undefined : (await readRules(transaction, [owner])).get(owner);
  const next = change(current);
  const isKept = next !== undefined && (owner.startsWith('end_user:') || restricts(next));
  const { budgets = [], ...members } = next ?? {};
  const rows = budgets.map((budget, position) => budgetRow(owner, budgets, budget, position));
  await transaction.budget.deleteMany({ where: { owner, id: { notIn: rows.map(({ id }) => id) } } });
  // Update in place: requests that wait for a row would miss one that is deleted and inserted again.
  for (const { id, ...row } of rows) {
    await transaction.budget.upsert({ where: { id }, create: { id, ...row }, update: row });
  }
  if (isKept) await transaction.rules.update({ where: { owner }, data: { rules: members } });
  else await transaction.rules.delete({ where: { owner } });
  const after = isKept ? { ...next, budgets: rows.map(budgetOfRow) } : undefined;
  return { before: current, after };
}

const DEFAULTS = JSON.stringify(rules.parse({}));

function restricts(given: Rules): boolean {
  return JSON.stringify(rules.parse(given)) !== DEFAULTS;
}

/** Returns the row of a budget. Its id depends on its place among budgets with the same window. */
function budgetRow(owner: string, budgets: readonly BudgetRule[], budget: BudgetRule, position: number) {
  const { on_exceed, temporary_until, temporary_usd, usd, window } = budget;
  const place = budgets.slice(0, position).filter((other) => other.window === window).length;
  const hasRaise = temporary_usd != null && temporary_until != null;
  return {
    id: budgetId(owner, window, place),
    owner,
    position,
    limit: nanoUsd(usd),
    window,
    warns: on_exceed === 'warn',
    temporaryLimit: hasRaise ? nanoUsd(temporary_usd) : null,
    temporaryUntil: hasRaise ? new Date(ruleTimeMs(temporary_until)) : null,
  };
}

function nanoUsd(usd: string): bigint {
  const amount = parseUsd(usd);
  if (amount === undefined) throw new Error(`a budget of ${usd} USD was not checked`);
  return amount;
}

async function readRules(
  client: Pick<Transaction, 'rules' | 'budget'>,
  owners: readonly string[],
): Promise<Map<string, Rules>> {
  const where = { owner: { in: [...owners] } };
  const stored = await client.rules.findMany({ where });
  const budgets = await client.budget.findMany({ where, orderBy: { position: 'asc' } });
  return new Map(
    stored.map((row) => [
      row.owner,
      {
        ...rules.omit({ budgets: true }).parse(row.rules),
        budgets: budgets.filter(({ owner }) => owner === row.owner).map(budgetOfRow),
      },
    ]),
  );
}

function budgetOfRow(row: {
  id: string;
  limit: bigint;
  window: string;
  warns: boolean;
  temporaryLimit: bigint | null;
  temporaryUntil: Date | null;
}): BudgetRule {
  return {
    id: row.id,
    usd: shortUsd(row.limit),
    window: budgetWindow.parse(row.window),
    on_exceed: row.warns ? 'warn' : 'block',
    ...(row.temporaryLimit === null
      ? {}
      : {
          temporary_usd: shortUsd(row.temporaryLimit),
          temporary_until: row.temporaryUntil?.toISOString(),
        }),
  };
}
