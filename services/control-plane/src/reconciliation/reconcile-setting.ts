import { parseUsd } from '@model-gateway/shared';
import { z } from 'zod';

const PERCENT = /^(\d{1,3})(?:\.(\d{1,3}))?$/;
const names = z.record(z.string().min(1), z.string().min(1)).default({});

const reconciledProvider = z
  .strictObject({
    /** Id in the catalog. */
    provider: z.string().min(1),
    /** Variable with the admin key of OpenAI or Anthropic. */
    admin_key: z.string().min(1).optional(),
    api_url: z.url().optional(),
    /** Folder with exports; of each format, the newest one with lines of the day counts. */
    exports: z.string().min(1).optional(),
    /** First hour (UTC) in which the day before yesterday is compared. */
    hour: z.int().min(0).max(23).default(12),
    /** The provider's ids of credentials by their variables. */
    credentials: names,
    /** The catalog's names of models by their names in the bill. */
    models: names,
    tolerance_percent: z
      .string()
      .regex(PERCENT, 'expected a number such as "0.5"')
      .transform((text) => {
        const [, whole = '0', decimals = ''] = PERCENT.exec(text) ?? [];
        return BigInt(whole) * 1_000n + BigInt(decimals.padEnd(3, '0'));
      })
      .default(500n),
    tolerance_usd: z
      .string()
      .refine((usd) => parseUsd(usd) !== undefined, 'expected US dollars such as "1.00"')
      .transform((usd) => parseUsd(usd) ?? 0n)
      .default(0n),
  })
  .refine(
    ({ admin_key, exports }) => (admin_key === undefined) !== (exports === undefined),
    'needs admin_key or exports',
  );

/** A provider whose bills are compared every day. */
export type ReconciledProvider = z.infer<typeof reconciledProvider>;

/** Reads RECONCILE, a list in JSON. */
export const reconcileSetting = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue(
        'expected a list in JSON such as [{"provider":"openai","admin_key":"OPENAI_ADMIN_KEY"}]',
      );
      return z.NEVER;
    }
  })
  .pipe(z.array(reconciledProvider).max(100));
