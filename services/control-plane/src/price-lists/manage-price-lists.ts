import { newId } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { NewPriceListVersion, PriceListStore } from './price-list-store.ts';
import type { StoredPriceList } from './stored-price-list.ts';

export interface PriceListContext {
  priceListStore: PriceListStore;
}

const MAX_NAME_LENGTH = 200;

/** @throws ControlPlaneError invalid_argument, InvalidTerms */
export async function createPriceList(
  { priceListStore }: PriceListContext,
  actor: Actor,
  { isDefault, name, ...version }: Pick<StoredPriceList, 'isDefault' | 'name'> & NewPriceListVersion,
): Promise<StoredPriceList> {
  const list = { id: newId('pl'), name: requireName(name), isDefault };
  return await priceListStore.create(actor, list, version);
}

/** @throws ControlPlaneError not_found, invalid_argument */
export async function changePriceList(
  { priceListStore }: PriceListContext,
  actor: Actor,
  { id, isDefault, name }: { id: string; isDefault?: boolean | undefined; name?: string | undefined },
): Promise<StoredPriceList> {
  return await priceListStore.change(actor, id, {
    ...(name === undefined ? {} : { name: requireName(name) }),
    ...(isDefault === undefined ? {} : { isDefault }),
  });
}

/** @throws ControlPlaneError not_found, invalid_argument, failed_precondition (too many), InvalidTerms */
export async function addPriceListVersion(
  { priceListStore }: PriceListContext,
  actor: Actor,
  { id, ...version }: { id: string } & NewPriceListVersion,
): Promise<StoredPriceList> {
  return await priceListStore.addVersion(actor, id, version);
}

/** @throws ControlPlaneError not_found, failed_precondition (accounts have it, or it is the default) */
export async function deletePriceList(
  { priceListStore }: PriceListContext,
  actor: Actor,
  { id }: { id: string },
): Promise<void> {
  await priceListStore.remove(actor, id);
}

/** @throws ControlPlaneError invalid_argument */
function requireName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalidArgument('name: is required');
  if (name.length > MAX_NAME_LENGTH)
    throw invalidArgument(`name: has more than ${MAX_NAME_LENGTH} characters`);
  return name;
}
