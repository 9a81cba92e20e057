import { shortUsd } from '@model-gateway/shared';
import { THRESHOLDS } from '@model-gateway/shared/events';
import { decodeLevel, LEVEL_KINDS } from '@model-gateway/shared/payer';
import {
  BUDGET_WINDOWS,
  budgetOfWindowId,
  RULE_SCOPES,
  scopeOfOwner,
  windowAt,
} from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { Transaction } from '../database/prisma-store.ts';
import { emitEvent, type NewEvent } from '../events/emit-event-store.ts';
import { type ReportedState, storeReportedStates } from '../events/reported-state-store.ts';
import { optionalTimestamp } from '../timestamps.ts';
import { findThresholdOwners, type ThresholdOwner } from './threshold-owner-store.ts';
import {
  type BudgetAtThreshold,
  findAtThreshold,
  forgetRefusals,
  type PoolAtThreshold,
} from './threshold-store.ts';

const budgetWindow = z.enum(BUDGET_WINDOWS);
const ruleScope = z.enum(RULE_SCOPES);
const levelKind = z.enum(LEVEL_KINDS);
/** Lowest threshold that owners get mail of, in percent. */
const MAILED_FROM = 80;
/** Events of one statement. */
const EVENTS_AT_ONCE = 1_000;

/**
 * Stores an event for each threshold that a budget or pool has reached since the last check, once each in a
 * window, or between two resets, and for one limit. Needs few statements for thousands of end users, so that
 * no request waits long for its locks.
 */
export async function reportThresholds(
  transaction: Transaction,
  since: Date,
  { sendsMail }: { sendsMail: boolean },
): Promise<void> {
  const found = await findAtThreshold(transaction, since);
  const owners = await findThresholdOwners(
    transaction,
    [...found.budgets, ...found.pools].map(({ owner }) => owner),
  );
  const budgets = withOwners(found.budgets, owners);
  const pools = withOwners(found.pools, owners);
  await storeReportedStates(transaction, [
    ...budgets.map(({ at }) => stateOf('budget', at)),
    ...pools.map(({ at }) => stateOf('pool', at)),
  ]);
  const events: NewEvent[] = [];
  for (const { at, owner } of budgets) {
    const data = budgetData(at, owner);
    for (const threshold of newThresholds(at))
      events.push({
        ...{ type: 'budget.threshold_reached', accountId: owner.accountId },
        mailTo: mailToOf(at, threshold, owner, sendsMail),
        data: { ...data, threshold },
      });
  }
  for (const { at, owner } of pools) {
    const data = poolData(at, owner);
    for (const threshold of newThresholds(at))
      events.push({
        ...{ type: 'pool.threshold_reached', accountId: owner.accountId },
        mailTo: mailToOf(at, threshold, owner, sendsMail),
        data: { ...data, threshold },
      });
  }
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE)
    await emitEvent(transaction, ...events.slice(from, from + EVENTS_AT_ONCE));
  await forgetRefusals(transaction, { budgets: idsAt80(budgets), pools: idsAt80(pools) });
}

function withOwners<At extends { owner: string }>(
  found: readonly At[],
  owners: ReadonlyMap<string, ThresholdOwner>,
): { at: At; owner: ThresholdOwner }[] {
  return found.flatMap((at) => {
    const owner = owners.get(at.owner);
    return owner === undefined ? [] : [{ at, owner }];
  });
}

type Found = Pick<BudgetAtThreshold, 'id' | 'limit' | 'reached' | 'reported'> & { resetsAt?: Date | null };

function stateOf(kind: 'budget' | 'pool', { id, limit, reached, resetsAt = null }: Found): ReportedState {
  return { kind, id, level: reached, amount: limit, period: resetsAt };
}

function idsAt80(found: readonly { at: Found }[]): string[] {
  return found.filter(({ at }) => at.reached === 80).map(({ at }) => at.id);
}

/** Returns the thresholds to report. A raised limit can lower `reached`: then there are none. */
function newThresholds({ reached, reported }: Found) {
  return THRESHOLDS.filter((threshold) => threshold > reported && threshold <= reached);
}

/** Thresholds that are reached together give one mail: that of the highest. */
function mailToOf({ reached }: Found, threshold: number, { mailTo }: ThresholdOwner, sendsMail: boolean) {
  return sendsMail && threshold === reached && threshold >= MAILED_FROM ? mailTo : [];
}

function budgetData(found: BudgetAtThreshold, owner: ThresholdOwner) {
  const { budgetId, id, limit, spent, warns } = found;
  const { endUser = null, windowId } = budgetOfWindowId(id);
  const window = budgetWindow.parse(found.window);
  const scope = ruleScope.parse(scopeOfOwner(found.owner));
  const ownerId = decodeLevel(found.owner).id;
  return {
    account_id: owner.accountId,
    budget_id: budgetId,
    scope,
    scope_id: scope === 'end_user' ? (endUser ?? ownerId) : ownerId,
    scope_name: scope === 'end_user' ? (endUser ?? owner.ownerName) : owner.ownerName,
    window,
    on_exceed: warns ? ('warn' as const) : ('block' as const),
    limit_usd: shortUsd(limit),
    spent_usd: shortUsd(spent),
    resets_at: endOfWindow(window, windowId, found.createdAt, owner),
  };
}

/** A window has been counted since it began or soon after; the account's calendar may have changed since. */
function endOfWindow(
  window: z.infer<typeof budgetWindow>,
  windowId: string,
  createdAt: Date,
  calendar: ThresholdOwner,
): string | null {
  if (window === 'total') return null;
  const current = windowAt(window, calendar, Date.now());
  const { endsAtMs } = current.id === windowId ? current : windowAt(window, calendar, createdAt.getTime());
  return new Date(endsAtMs).toISOString();
}

function poolData(
  { id, limit, name, owner, resetsAt, spent }: PoolAtThreshold,
  { accountId, ownerName }: ThresholdOwner,
) {
  const { kind, id: ownerId } = decodeLevel(owner);
  return {
    account_id: accountId,
    pool_id: id,
    name,
    scope: levelKind.parse(kind),
    scope_id: ownerId,
    scope_name: ownerName,
    included_usd: shortUsd(limit),
    used_usd: shortUsd(spent),
    resets_at: optionalTimestamp(resetsAt),
  };
}
