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
import { storeReportedState } from '../events/reported-state-store.ts';
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

/**
 * Stores an event for each threshold that a budget or pool has reached since the last check, once each in a
 * window, or between two resets, and for one limit.
 */
export async function reportThresholds(
  transaction: Transaction,
  since: Date,
  { sendsMail }: { sendsMail: boolean },
): Promise<void> {
  const { budgets, pools } = await findAtThreshold(transaction, since);
  const owners = await findThresholdOwners(
    transaction,
    [...budgets, ...pools].map(({ owner }) => owner),
  );
  const events: NewEvent[] = [];
  for (const found of budgets) {
    const owner = owners.get(found.owner);
    if (owner === undefined) continue;
    await store(transaction, 'budget', found);
    const data = budgetData(found, owner);
    for (const threshold of newThresholds(found)) {
      const mailTo = mailToOf(found, threshold, owner, sendsMail);
      events.push({
        type: 'budget.threshold_reached',
        accountId: owner.accountId,
        mailTo,
        data: { ...data, threshold },
      });
    }
  }
  for (const found of pools) {
    const owner = owners.get(found.owner);
    if (owner === undefined) continue;
    await store(transaction, 'pool', found);
    const data = poolData(found, owner);
    for (const threshold of newThresholds(found)) {
      const mailTo = mailToOf(found, threshold, owner, sendsMail);
      events.push({
        type: 'pool.threshold_reached',
        accountId: owner.accountId,
        mailTo,
        data: { ...data, threshold },
      });
    }
  }
  await emitEvent(transaction, ...events);
}

type Found = Pick<BudgetAtThreshold, 'id' | 'limit' | 'reached' | 'reported'> & { resetsAt?: Date | null };

async function store(transaction: Transaction, kind: 'budget' | 'pool', found: Found): Promise<void> {
  const { id, limit, reached, resetsAt = null } = found;
  await storeReportedState(transaction, { kind, id, level: reached, amount: limit, period: resetsAt });
  if (reached === 80) await forgetRefusals(transaction, kind, id);
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
