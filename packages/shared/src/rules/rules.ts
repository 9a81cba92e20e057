import { z } from 'zod';
import { parseUsd } from '../billing/money.ts';
import { capability } from '../catalog/capability.ts';

/** Levels with rules, as in the `scope` of errors. A request meets the rules of all its levels. */
export const RULE_SCOPES = ['key', 'seat', 'team', 'account', 'end_user'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

export const BUDGET_WINDOWS = ['day', 'week', 'month', 'total'] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

export const WEEK_DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type WeekDay = (typeof WEEK_DAYS)[number];

/** Maximum of budgets of an owner. */
export const MAX_BUDGETS = 8;
const MAX_ENTRIES = 200;
const MAX_PER_MINUTE = 1_000_000_000;

/** Without `__proto__`, which many programs that read JSON lose. */
export const TAG_NAME = /^(?!__proto__$)[a-z0-9_.-]{1,64}$/;
/** Visible characters of ASCII and everything beyond it, without commas, which separate tags in a header. */
export const TAG_VALUE = /^[^\p{Cc}\p{Zl}\p{Zp},]{1,128}$/u;
export const MAX_TAGS = 10;
const tagName = z.string().regex(TAG_NAME, 'a tag name has 1 to 64 of the characters a-z 0-9 _ . -');

/** Tags of a key or a request: at most ten names with one value each. */
export const tags = z
  .record(tagName, z.string().regex(TAG_VALUE, 'a tag value has 1 to 128 visible characters without commas'))
  .refine((given) => Object.keys(given).length <= MAX_TAGS, `at most ${MAX_TAGS} tags`);
export type Tags = Readonly<Record<string, string>>;

const usd = z
  .string()
  .refine((text) => parseUsd(text) !== undefined, 'must be dollars as text, such as "25.00"');

/** End of the year 9999, in Unix milliseconds: later dates cannot be stored or shown. */
export const LATEST_MS = 253_402_300_799_999;

/** ISO 8601 with a time zone, or Unix seconds. */
const time = z
  .union([z.iso.datetime({ offset: true }), z.int().min(0)])
  .refine((at) => ruleTimeMs(at) <= LATEST_MS, 'must be before the year 10000');

const budget = z
  .strictObject({
    /** Given by the gateway, and ignored in a request. */
    id: z.string().optional(),
    usd,
    window: z.enum(BUDGET_WINDOWS),
    on_exceed: z.enum(['block', 'warn']).default('block'),
    temporary_usd: usd.nullish(),
    temporary_until: time.nullish(),
  })
  .refine(
    ({ temporary_until, temporary_usd }) =>
      (temporary_usd ?? null) === null || (temporary_until ?? null) !== null,
    { path: ['temporary_until'], message: 'is required with temporary_usd' },
  );
export type BudgetRule = z.infer<typeof budget>;

const entries = (entry: z.ZodType<string>) => z.array(entry).max(MAX_ENTRIES).nullable().default(null);
const glob = z.string().min(1).max(256);
const perMinute = z.int().min(1).max(MAX_PER_MINUTE).nullable().default(null);

/** Network in CIDR notation, or an address. */
export const network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'must be a network such as "10.0.0.0/8" or "2001:db8::/32"',
});

/**
 * Rules of one level (docs/limits-and-credit.md): null sets no restriction, an empty list allows nothing.
 * Unknown members are refused, because an ignored budget is a key without a cap.
 */
export const rules = z.strictObject({
  models: entries(glob),
  providers: entries(glob),
  endpoints: entries(capability),
  /** Networks of clients in CIDR notation. */
  networks: entries(network),
  budgets: z.array(budget).max(MAX_BUDGETS).default([]),
  requests_per_minute: perMinute,
  tokens_per_minute: perMinute,
  streams: z.int().min(0).max(10_000).nullable().default(null),
  expires_at: time.nullable().default(null),
  require_tags: z.array(tagName).max(MAX_TAGS).default([]),
  require_end_user: z.boolean().default(false),
});
export type Rules = z.infer<typeof rules>;

/** Returns the Unix milliseconds of a time in rules. */
export function ruleTimeMs(time: string | number): number {
  return typeof time === 'number' ? time * 1_000 : Date.parse(time);
}
