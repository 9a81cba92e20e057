import { encodeLevel, type Payer } from '@model-gateway/shared';
import {
  budgetWindowId,
  type EffectiveRules,
  type RuleBudget,
  type WindowBounds,
  windowAt,
} from '@model-gateway/shared/rules';
import { LRUCache } from 'lru-cache';
import type { KeyContext } from '../keys/key-context.ts';

/** A window of a budget, in which the money of an allowance counts. */
export interface FundingWindow {
  /** Names budget, window and, for a budget of end users, the end user. */
  id: string;
  budget: RuleBudget;
  /** Unix milliseconds; infinite for `total`. The end is exclusive. */
  startsAtMs: number;
  endsAtMs: number;
}

/** The source of a request's money: pools of its payer, within windows of budgets. */
export interface Funding {
  /** Equal only for the same payer and windows. */
  id: string;
  payer: Payer;
  windows: readonly FundingWindow[];
  windowIds: readonly string[];
  /** The time in which all windows are current: latest start to earliest end, in Unix milliseconds. */
  startsAtMs: number;
  endsAtMs: number;
}

interface FundedRequest {
  key: KeyContext;
  endUser?: string | undefined;
  endUserRules?: EffectiveRules | undefined;
}

interface EndUserFunding {
  ofKey: Funding;
  endUserRules: EffectiveRules;
  funding: Funding;
}

/** Takes about 1 kB per end user, 10 MB in all. Building a funding takes 2 µs. */
const MAX_END_USERS = 10_000;

/** Cached until a window ends, so that a request takes one comparison. */
const fundingsByKey = new WeakMap<KeyContext, Funding>();
/** Cached by key and end user. */
const fundingsByEndUser = new LRUCache<string, EndUserFunding>({ max: MAX_END_USERS });
/** Cached by window and calendar: there are few, and finding the bounds of a window takes time. */
const currentWindows = new Map<string, WindowBounds>();

/**
 * Returns the payer of a request and the windows of its budgets. Money that is reserved now belongs to the
 * windows of now, however long the request takes.
 */
export function fundingOf({ endUser, endUserRules, key }: FundedRequest, nowMs = Date.now()): Funding {
  const ofKey = fundingOfKey(key, nowMs);
  if (endUser === undefined || endUserRules === undefined || endUserRules.budgets.length === 0) return ofKey;
  const cacheKey = `${key.keyId}/${endUser}`;
  const known = fundingsByEndUser.get(cacheKey);
  // Each change of a key or of rules makes new objects.
  if (known?.ofKey === ofKey && known.endUserRules === endUserRules && isWithin(known.funding, nowMs))
    return known.funding;
  const own = endUserRules.budgets.map((budget) => currentWindow(budget, nowMs, endUser));
  const funding = newFunding(key.payer, [...ofKey.windows, ...own]);
  fundingsByEndUser.set(cacheKey, { ofKey, endUserRules, funding });
  return funding;
}

function fundingOfKey(key: KeyContext, nowMs: number): Funding {
  const known = fundingsByKey.get(key);
  if (known !== undefined && isWithin(known, nowMs)) return known;
  const windows = (key.rules?.budgets ?? []).map((budget) => currentWindow(budget, nowMs));
  const funding = newFunding(key.payer, windows);
  fundingsByKey.set(key, funding);
  return funding;
}

export function newFunding(payer: Payer, windows: readonly FundingWindow[] = []): Funding {
  const windowIds = windows.map(({ id }) => id);
  return {
    // Neither levels nor windows contain NUL.
    id: [...payer.map(encodeLevel), '', ...windowIds].join('\0'),
    payer,
    windows,
    windowIds,
    startsAtMs: Math.max(...windows.map(({ startsAtMs }) => startsAtMs)),
    endsAtMs: Math.min(...windows.map(({ endsAtMs }) => endsAtMs)),
  };
}

function currentWindow(budget: RuleBudget, nowMs: number, endUser?: string): FundingWindow {
  const { calendar, window } = budget;
  const name = `${window} ${calendar.timezone} ${calendar.weekStarts}`;
  let bounds = currentWindows.get(name);
  if (bounds === undefined || !isWithin(bounds, nowMs)) {
    bounds = windowAt(window, calendar, nowMs);
    currentWindows.set(name, bounds);
  }
  // Postgres cannot store NUL, or half a surrogate pair.
  const user = budget.scope === 'end_user' ? endUser?.toWellFormed().replaceAll('\0', '\uFFFD') : undefined;
  return { ...bounds, id: budgetWindowId(budget.id, bounds.id, user), budget };
}

/** Checks the start, too, because a clock may be set back. */
function isWithin({ startsAtMs, endsAtMs }: Pick<WindowBounds, 'startsAtMs' | 'endsAtMs'>, nowMs: number) {
  return nowMs >= startsAtMs && nowMs < endsAtMs;
}
