import { Prisma } from '@model-gateway/database';
import { parseUsd, shortUsd } from '@model-gateway/shared';
import {
  BUDGET_WINDOWS,
  type BudgetRule,
  budgetId,
  type Rules,
  rules,
  ruleTimeMs,
  type Tags,
} from '@model-gateway/shared/rules';
import { z } from 'zod';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';

const lockedRows = z.tuple([z.object({ isNew: z.boolean() })]);
const budgetWindow = z.enum(BUDGET_WINDOWS);

/** The rules to change, and the keys that they apply to. */
export interface RulesToChange {
  /** The owner, as the database stores it. */
  text: string;
  /** The owner whose keys are told; for a key the first of its rotations. */
  keysOf: { kind: 'key' | 'seat' | 'team' | 'account'; id: string };
  /** The account of a named end user. */
  endUserOf?: string | undefined;
}

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

  /**
   * Changes rules and budgets, and tells data planes to forget the keys.
   * @param tags also replaces the tags of a key
   * @returns `revision` of the last event; undefined when no key is active
   */
  async change(
    { endUserOf, keysOf, text }: RulesToChange,
    change: RulesChange,
    tags?: { keyId: string; tags: Tags },
  ): Promise<bigint | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      await writeRules(transaction, text, change);
      if (endUserOf !== undefined) {
        await transaction.$executeRaw`
          UPDATE accounts SET end_users_version = end_users_version + 1 WHERE id = ${endUserOf}`;
      }
      if (tags !== undefined) {
        await transaction.apiKey.update({ where: { id: tags.keyId }, data: { tags: { ...tags.tags } } });
      }
      return await announceKeyChanges(transaction, isKeyOf(keysOf));
    });
  }
}

/** Returns a condition on api_keys. */
function isKeyOf({ id, kind }: RulesToChange['keysOf']): Prisma.Sql {
  switch (kind) {
    case 'key':
      return Prisma.sql`(id = ${id} OR first_key_id = ${id})`;
    case 'seat':
      return Prisma.sql`seat_id = ${id}`;
    case 'team':
      return Prisma.sql`seat_id IN (SELECT seats.id FROM seats WHERE seats.team_id = ${id})`;
    case 'account':
      return Prisma.sql`account_id = ${id}`;
  }
}

/**
 * Changes the rules and budgets of an owner, without telling data planes. Rules that restrict nothing are not
 * stored, except those of a named end user, which then has no rules instead of its account's template.
 */
export async function writeRules(
  transaction: Prisma.TransactionClient,
  owner: string,
  change: RulesChange,
): Promise<void> {
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
  client: Pick<Prisma.TransactionClient, 'rules' | 'budget'>,
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
