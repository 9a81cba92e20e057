import { byValidity, priceListTerms } from '@model-gateway/shared';
import { z } from 'zod';
import { timestamp } from '../timestamps.ts';
import type { StoredPriceList, StoredPriceListVersion } from './stored-price-list.ts';

const { factor, models } = priceListTerms.shape;
const versionSchema = z
  .object({
    number: z.int().describe('Unique among all price lists. Receipts name it.'),
    valid_from: timestamp,
    factor: factor.unwrap(),
    models: models.unwrap(),
    created_at: timestamp,
  })
  .meta({ id: 'PriceListVersion' });

/** A price list in audit events. */
export const priceListResourceSchema = z.object({
  object: z.literal('price_list'),
  id: z.string(),
  name: z.string(),
  is_default: z.boolean().describe('True: for all accounts without a list of their own.'),
  /** The version that was added last. */
  version: versionSchema,
  created_at: timestamp,
});

/** A price list in a list of the management API. */
export const listedPriceListSchema = priceListResourceSchema.extend({
  accounts: z.int().describe('Accounts that have the list, without those that have it as the default.'),
});

/** A price list with all versions, as the management API returns it by id. */
export const fullPriceListSchema = listedPriceListSchema.extend({
  version_in_force: z
    .int()
    .nullable()
    .describe(
      'Number of the version by which requests are charged now. Null: none yet, so the default list counts.',
    ),
  versions: z.array(versionSchema).describe('All versions, the last added first.'),
});

export function priceListResource(list: StoredPriceList): z.infer<typeof priceListResourceSchema> {
  return {
    object: 'price_list',
    id: list.id,
    name: list.name,
    is_default: list.isDefault,
    version: versionResource(list.versions[0]),
    created_at: list.createdAt.toISOString(),
  };
}

export function listedPriceList(list: StoredPriceList): z.infer<typeof listedPriceListSchema> {
  return { ...priceListResource(list), accounts: list.accounts };
}

export function fullPriceList(list: StoredPriceList, now = new Date()): z.infer<typeof fullPriceListSchema> {
  const versions = list.versions.map(({ number, validFrom }) => ({
    number,
    validFromMs: validFrom.getTime(),
  }));
  const inForce = versions.sort(byValidity).find(({ validFromMs }) => validFromMs <= now.getTime());
  return {
    ...listedPriceList(list),
    version_in_force: inForce?.number ?? null,
    versions: list.versions.map(versionResource),
  };
}

function versionResource({ createdAt, number, terms, validFrom }: StoredPriceListVersion) {
  return {
    number,
    valid_from: validFrom.toISOString(),
    ...terms,
    created_at: createdAt.toISOString(),
  };
}
