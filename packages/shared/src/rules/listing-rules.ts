import { z } from 'zod';
import type { EffectiveRules } from './effective-rules.ts';

const lists = z.array(z.array(z.string())).readonly();

/**
 * The rules that decide which models GET /v1/models lists: for each member, the lists of all levels that have
 * one. Data planes send them to the catalog service.
 */
export const listingRules = z.object({ models: lists, providers: lists, endpoints: lists });
export type ListingRules = Pick<EffectiveRules, 'models' | 'providers' | 'endpoints'>;

/**
 * Serializes the rules, equal rules to the same text.
 * @returns undefined if they allow all models
 */
export function writeListingRules({ endpoints, models, providers }: ListingRules): string | undefined {
  if (models.length === 0 && providers.length === 0 && endpoints.length === 0) return undefined;
  // Levels arrive in any order.
  const members = Object.entries({ models, providers, endpoints }).map(
    ([name, ofLevels]) =>
      `"${name}":[${ofLevels
        .map((list) => JSON.stringify(list))
        .sort()
        .join()}]`,
  );
  return `{${members.join()}}`;
}
