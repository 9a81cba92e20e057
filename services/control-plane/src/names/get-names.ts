import type { GetNamesRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { NameStore } from './name-store.ts';

const MAX_IDS = 1_000;

/** Returns the names of what the ids stand for. @throws ControlPlaneError invalid_argument (too many) */
export async function getNames(
  { nameStore }: { nameStore: Pick<NameStore, 'ofIds'> },
  { ids }: GetNamesRequestMessage,
  signal: AbortSignal,
) {
  if (ids.length > MAX_IDS) throw invalidArgument(`at most ${MAX_IDS} ids`);
  return { names: Object.fromEntries(await nameStore.ofIds(ids, signal)) };
}
