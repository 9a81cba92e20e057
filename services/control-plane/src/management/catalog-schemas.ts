import { z } from 'zod';

export const differenceSchema = z.object({
  object: z.enum(['provider', 'model']),
  id: z.string(),
  change: z.enum(['added', 'changed', 'retired']),
  fields: z
    .array(
      z.object({
        path: z.string().describe('Such as `pricing.input_per_million_usd` or `upstreams.0.weight`.'),
        before: z.string().nullable().describe('Null: there was no value.'),
        after: z.string().nullable().describe('Null: there is no value.'),
      }),
    )
    .describe('For an added or retired entry only its prices.'),
});

const count = z.int().min(0);

export const affectedSchema = z.object({
  accounts: count,
  keys: count,
  models: z.array(z.object({ id: z.string(), accounts: count, keys: count })),
  rules: z.object({
    count: count.describe('Rules that name a changed or retired model or provider.'),
    owners: z.array(z.string()).describe('The first 20, such as `key:key_1`.'),
  }),
});
