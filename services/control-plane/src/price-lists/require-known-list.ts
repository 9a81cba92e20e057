import { setTimeout as wait } from 'node:timers/promises';
import type { PriceListStore } from './price-list-store.ts';

export interface KnownListContext {
  priceListStore: Pick<PriceListStore, 'requireAge'>;
}

/** Data planes read a changed catalog within a second. */
const KNOWN_AFTER_MS = 2_000;

/**
 * Checks the price list that an account is given. Waits until data planes know a new list: they refuse
 * paid requests of accounts whose list they do not know.
 * @param priceListId null: the default one; undefined: no change
 * @throws ControlPlaneError not_found
 */
export async function requireKnownList(
  { priceListStore }: KnownListContext,
  priceListId: string | null | undefined,
): Promise<{ priceListId?: string | null }> {
  if (priceListId === undefined) return {};
  if (priceListId !== null) {
    const ageMs = await priceListStore.requireAge(priceListId);
    if (ageMs < KNOWN_AFTER_MS) await wait(KNOWN_AFTER_MS - ageMs);
  }
  return { priceListId };
}
