import { formatUsd, parseUsd } from '@model-gateway/shared';
import type { BudgetRule, BudgetWindow, Rules } from '@model-gateway/shared/rules';
import { rules } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { keyStatus } from '../../keys/key-message.ts';
import type { KeyResource } from '../../keys/key-resource.ts';
import type { ListedKey } from '../../keys/openrouter-key-store.ts';
import { invalidField } from '../errors/request-errors.ts';

/** Windows of budgets by OpenRouter's resets of a limit. */
const WINDOWS = { daily: 'day', weekly: 'week', monthly: 'month' } as const;
const limitReset = z.enum(['daily', 'weekly', 'monthly']);
export type LimitReset = z.infer<typeof limitReset>;

const usd = z.number();
export const usageFields = {
  usage: usd,
  usage_daily: usd.describe('In the current day (UTC).'),
  usage_weekly: usd.describe('In the current week (UTC), from Monday on.'),
  usage_monthly: usd.describe('In the current month (UTC).'),
  byok_usage: z.literal(0),
  byok_usage_daily: z.literal(0),
  byok_usage_weekly: z.literal(0),
  byok_usage_monthly: z.literal(0),
};

export const openRouterKey = z
  .object({
    hash: z.string().describe('Id of the key.'),
    name: z.string(),
    label: z.string().describe('Beginning of the raw key.'),
    disabled: z.boolean(),
    limit: usd.nullable(),
    limit_remaining: usd.nullable(),
    limit_reset: limitReset.nullable(),
    include_byok_in_limit: z.boolean(),
    ...usageFields,
    created_at: z.string(),
    updated_at: z.string().nullable(),
    expires_at: z.string().nullable(),
    workspace_id: z.string().describe('Id of the account.'),
    creator_user_id: z.string().nullable().describe('The member who made the key.'),
    external_user: z.string().nullable().describe('The `external_id` of the key.'),
  })
  .meta({ id: 'OpenRouterKey' });

const limit = z.number().min(0).nullable().optional().describe('US dollars. Null: none.');
const members = {
  limit,
  limit_reset: limitReset.nullable().optional().describe('Null: the limit is for all time.'),
  include_byok_in_limit: z.boolean().optional().describe('All usage counts, whatever this says.'),
};
export const newOpenRouterKey = z.object({
  ...members,
  name: z.string(),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  workspace_id: z.string().optional().describe('Id of the account. Not needed for keys bound to one.'),
  creator_user_id: z.null().optional(),
  external: z.strictObject({ user: z.string().min(1).max(255) }).optional(),
});
export const openRouterKeyPatch = z.object({
  ...members,
  name: z.string().optional(),
  disabled: z.boolean().optional(),
});

/** Sums of a key, or of all keys, in nano-USD. */
export interface PeriodUsage {
  total: bigint;
  day: bigint;
  week: bigint;
  month: bigint;
}

export const NO_USAGE: Readonly<PeriodUsage> = { total: 0n, day: 0n, week: 0n, month: 0n };

/** @param remaining nano-USD that the limit leaves in its window; undefined: there is no limit */
export function keyResponse(
  key: ListedKey,
  stored: Rules | undefined,
  usage: PeriodUsage,
  remaining: bigint | undefined,
): z.infer<typeof openRouterKey> {
  const budget = limitBudget(stored);
  return {
    hash: key.id,
    name: key.name,
    label: `${key.displayPrefix}...`,
    disabled: keyStatus(key) === 'suspended',
    limit: budget === undefined ? null : Number(budget.usd),
    limit_remaining: budget === undefined || remaining === undefined ? null : dollars(remaining),
    limit_reset: resetOf(budget?.window),
    include_byok_in_limit: false,
    ...usageResponse(usage),
    created_at: key.createdAt.toISOString(),
    updated_at: key.rulesUpdatedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    workspace_id: key.accountId,
    creator_user_id: key.memberId,
    external_user: key.externalId,
  };
}

/** Describes a key that was created just now. */
export function newKeyResponse(
  key: KeyResource,
  { limit = null, limit_reset = null }: LimitChange,
): z.infer<typeof openRouterKey> {
  return {
    hash: key.id,
    name: key.name,
    label: `${key.prefix}...`,
    disabled: false,
    ...{ limit, limit_remaining: limit, limit_reset: limit === null ? null : limit_reset },
    include_byok_in_limit: false,
    ...usageResponse(NO_USAGE),
    created_at: key.created_at,
    updated_at: limit === null ? null : key.created_at,
    expires_at: key.expires_at,
    workspace_id: key.account_id,
    creator_user_id: key.member_id,
    external_user: key.external_id,
  };
}

export function usageResponse({ day, month, total, week }: PeriodUsage) {
  return {
    usage: dollars(total),
    usage_daily: dollars(day),
    usage_weekly: dollars(week),
    usage_monthly: dollars(month),
    byok_usage: 0 as const,
    byok_usage_daily: 0 as const,
    byok_usage_weekly: 0 as const,
    byok_usage_monthly: 0 as const,
  };
}

export function dollars(nanoUsd: bigint): number {
  return Number(formatUsd(nanoUsd));
}

/** Returns the budget that a limit stands for: the first of the key's own that blocks. */
export function limitBudget(stored: Rules | undefined): BudgetRule | undefined {
  return stored?.budgets.find(({ on_exceed }) => on_exceed === 'block');
}

function resetOf(window: BudgetWindow | undefined): LimitReset | null {
  return limitReset.options.find((reset) => WINDOWS[reset] === window) ?? null;
}

interface LimitChange {
  /** Null: none. Undefined: unchanged. */
  limit?: number | null | undefined;
  limit_reset?: LimitReset | null | undefined;
}

/**
 * Changes the limit in the rules of a key, and keeps its other rules.
 * @throws ManagementError 400 (limit)
 */
export function withLimit(stored: Rules | undefined, change: LimitChange): Rules {
  const current = stored ?? rules.parse({});
  const budget = limitBudget(stored);
  const usd =
    change.limit === undefined ? budget?.usd : change.limit === null ? undefined : usdOf(change.limit);
  const reset = change.limit_reset === undefined ? resetOf(budget?.window) : change.limit_reset;
  const next = usd === undefined ? [] : [limitOf(usd, reset)];
  const position = budget === undefined ? 0 : current.budgets.indexOf(budget);
  const removed = budget === undefined ? 0 : 1;
  return { ...current, budgets: current.budgets.toSpliced(position, removed, ...next) };
}

function limitOf(usd: string, reset: LimitReset | null): BudgetRule {
  return { usd, window: reset === null ? 'total' : WINDOWS[reset], on_exceed: 'block' };
}

/** Writes a number without an exponent. @throws ManagementError 400 */
function usdOf(limit: number): string {
  const text = limit.toFixed(9).replace(/\.?0+$/, '');
  if (parseUsd(text) === undefined) throw invalidField('limit', 'must be at most 999999999 US dollars');
  return text;
}
