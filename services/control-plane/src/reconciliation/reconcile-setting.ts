import { DEFAULT_MILLI_PERCENT, parseMilliPercent } from '@model-gateway/reconciliation';
import { parseUsd } from '@model-gateway/shared';
import { z } from 'zod';

const names = z.record(z.string().min(1), z.string().min(1)).default({});

const reconciledProvider = z
  .strictObject({
    /** Id in the catalog. */
    provider: z.string().min(1),
    /** The variable that has the admin key of OpenAI or Anthropic. */
    admin_key: z.string().min(1).optional(),
    api_url: z.url().optional(),
    /** Folder with exports; of each format, the newest one with lines of the day counts. */
    exports: z.string().min(1).optional(),
    /** Hour (UTC) from which the day before yesterday is compared. */
    hour: z.int().min(0).max(23).default(12),
    /** The provider's ids of credentials by their variables. */
    credentials: names,
    /** Names of models at the provider by their names in the bill. */
    models: names,
    tolerance_percent: z
      .string()
      .refine((percent) => parseMilliPercent(percent) !== undefined, 'expected a number such as "0.5"')
      .transform((percent) => parseMilliPercent(percent) ?? 0n)
      .default(DEFAULT_MILLI_PERCENT),
    tolerance_usd: z
      .string()
      .refine((usd) => parseUsd(usd) !== undefined, 'expected US dollars such as "1.00"')
      .transform((usd) => parseUsd(usd) ?? 0n)
      .default(0n),
  })
  .refine(
    ({ admin_key, exports }) => (admin_key === undefined) !== (exports === undefined),
    'needs either admin_key or exports',
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
