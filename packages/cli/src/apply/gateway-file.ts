import { parseUsd } from '@model-gateway/shared';
import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { EVENT_TYPES } from '@model-gateway/shared/events';
import { rules as anyRules, keyCache, tags, WEEK_DAYS } from '@model-gateway/shared/rules';
import { z } from 'zod';

/** Rejects names that the control plane would trim: the next run would not find them. */
const name = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => text === text.trim(), 'must not begin or end with a space');
const email = z.email().transform((text) => text.toLowerCase());
const time = z.iso.datetime({ offset: true, error: 'must be a time such as "2026-12-31T18:00:00Z"' });
const usd = z
  .string('must be dollars as text, such as "25.00"')
  .refine((text) => parseUsd(text) !== undefined, 'must be dollars as text, such as "25.00"');
const perMinute = z.int().min(1).max(1_000_000);
const limit = z.union(
  [perMinute, z.literal('default')],
  'must be a whole number of at least 1, or "default"',
);

/** The ids name parts of the JSON schema of the file, which stand there once. */
const rules = anyRules.meta({ id: 'rules' });

const pool = z
  .strictObject({
    name: name.describe('Identifies the pool of its owner.'),
    usd: usd.optional().describe('US dollars. Either this or `unlimited`.'),
    unlimited: z.literal(true).optional().describe('Counts what is used, and refuses nothing.'),
    resets: z
      .enum(['monthly', 'never'])
      .default('never')
      .describe('Cannot be changed afterwards, as `expires_at`.'),
    expires_at: time.nullable().default(null),
  })
  .refine(
    (given) => (given.usd === undefined) === (given.unlimited === true),
    'needs either usd or unlimited',
  )
  .meta({ id: 'pool' });

const key = z
  .strictObject({
    name: name.describe('Identifies the key among the keys in force of its account or seat.'),
    expires_at: time.nullable().optional().describe('Null: never.'),
    tags: tags.optional(),
    cache: keyCache
      .nullable()
      .optional()
      .describe('Directives of `x-gateway-cache` for requests that send none. Null: none.'),
    rules: rules.optional(),
  })
  .meta({ id: 'key' });

const pools = z.array(pool).optional();
const keys = z.array(key).optional();

const seat = z.strictObject({
  account: email.describe('Holder of the seat. Identifies the seat in its team.'),
  rules: rules.optional(),
  pools,
  keys: keys.describe('Keys of the holder on this seat: the team pays.'),
});

const team = z.strictObject({
  name: name.describe('Identifies the team of its account.'),
  requests_per_minute: perMinute.optional(),
  rules: rules.optional(),
  pools,
  seats: z.array(seat).optional(),
});

const member = z.strictObject({ email, role: z.enum(ACCOUNT_ROLES) });

const webhook = z
  .strictObject({
    url: z
      .url({ protocol: /^(https?|mailto)$/, error: 'must be an https: URL, or mailto: and an address' })
      .transform((text) => new URL(text).href)
      .describe('Identifies the webhook of its account or the installation.'),
    events: z.array(z.enum(EVENT_TYPES)).min(1),
    format: z.enum(['standard', 'slack']).optional(),
    description: z.string().optional(),
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'webhook' });
const webhooks = z.array(webhook).optional();

const account = z.strictObject({
  email: email.describe('Identifies the account. Cannot be changed afterwards.'),
  external_id: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Id in a system of yours. Identifies the account, if an account has it; else `email` does.'),
  name: name.optional().describe('Only used when the account is created.'),
  timezone: z.string().optional().describe('IANA name, such as `Europe/Berlin`.'),
  week_starts: z.enum(WEEK_DAYS).optional(),
  limits: z
    .strictObject({
      free_per_minute: limit.optional(),
      paid_per_minute: limit.optional(),
      reads_per_minute: limit.optional(),
      streams: limit.optional(),
    })
    .optional(),
  rules: rules.optional(),
  end_user_rules: rules.optional().describe('Rules of all its end users that have none of their own.'),
  members: z.array(member).optional().describe('Members besides the one who owns the address.'),
  pools,
  keys: keys.describe('Keys of the account that are on no seat.'),
  teams: z.array(team).optional(),
  webhooks,
});

/**
 * The file of `gatewayctl apply`. A member that the file leaves out is left alone. Lists name what must
 * exist; what they do not name is left alone, too, unless `--prune` removes it.
 */
export const gatewayFile = z.strictObject({
  accounts: z.array(account),
  webhooks: webhooks.describe('Webhooks of the installation.'),
});

export type GatewayFile = z.infer<typeof gatewayFile>;
export type WantedAccount = z.infer<typeof account>;
export type WantedTeam = z.infer<typeof team>;
export type WantedSeat = z.infer<typeof seat>;
export type WantedKey = z.infer<typeof key>;
export type WantedPool = z.infer<typeof pool>;
export type WantedMember = z.infer<typeof member>;
export type WantedWebhook = z.infer<typeof webhook>;
export type WantedRules = z.infer<typeof rules>;
