import { priceListTerms } from '@model-gateway/shared';
import { z } from 'zod';

const priceListVersion = z.object({
  number: z.int(),
  validFrom: z.coerce.date(),
  createdAt: z.coerce.date(),
  terms: priceListTerms,
});
export type StoredPriceListVersion = z.infer<typeof priceListVersion>;

/** A row of price_lists with its versions (`columns` of price-list-store.ts). */
export const storedPriceList = z.object({
  id: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  createdAt: z.date(),
  /** Number of accounts that were given the list, without those that have it as the default. */
  accounts: z.int(),
  /** Newest first. */
  versions: z.tuple([priceListVersion], priceListVersion),
});
export type StoredPriceList = z.infer<typeof storedPriceList>;
