import { priceListTerms } from '@model-gateway/shared';
import { z } from 'zod';

const priceListVersion = z.object({
  number: z.int(),
  validFrom: z.coerce.date(),
  createdAt: z.coerce.date(),
  terms: priceListTerms,
});
export type StoredPriceListVersion = z.infer<typeof priceListVersion>;

/** Row of priceListColumns. */
export const storedPriceList = z.object({
  id: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  createdAt: z.date(),
  /** Accounts that are charged by it, without those that have it as the default. */
  accounts: z.int(),
  /** Newest first. */
  versions: z.tuple([priceListVersion], priceListVersion),
});
export type StoredPriceList = z.infer<typeof storedPriceList>;
