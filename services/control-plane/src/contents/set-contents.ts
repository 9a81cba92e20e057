import type { UserActor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { ContentsSeal } from './contents-seal.ts';
import type { ContentsSettingStore } from './contents-setting-store.ts';
import type { ContentsStore } from './contents-store.ts';

/** Days for which an owner may have contents stored. */
const MAX_DAYS = 30;

export interface SetContentsContext {
  contentsSettingStore: Pick<ContentsSettingStore, 'turnOff' | 'turnOn'>;
  contentsStore: Pick<ContentsStore, 'prune'>;
  contentsSeal: Pick<ContentsSeal, 'newKey'>;
  watcherWait: Pick<WatcherWait, 'until'>;
}

/**
 * Turns contents of an account's requests on or off. Returns when the next request of
 * every data plane follows, and after turning off, when all contents are deleted.
 * @param request.days undefined: off
 * @returns `unconfirmed`: data planes that did not confirm in time; what they still send is dropped
 * @throws ControlPlaneError invalid_argument
 */
export async function setContents(
  context: SetContentsContext,
  actor: UserActor,
  { days }: { days?: number | undefined },
): Promise<{ unconfirmed: string[] }> {
  if (days !== undefined && (days < 1 || days > MAX_DAYS))
    throw invalidArgument(`contents are stored for 1 to ${MAX_DAYS} days, not ${days}`);
  const { contentsSeal, contentsSettingStore, contentsStore, watcherWait } = context;
  const { accountId } = actor;
  const revision =
    days === undefined
      ? await contentsSettingStore.turnOff(actor, accountId)
      : await contentsSettingStore.turnOn(actor, accountId, days, contentsSeal.newKey(accountId));
  const [unconfirmed] = await Promise.all([
    revision === undefined ? [] : watcherWait.until(revision),
    days === undefined ? contentsStore.prune(accountId) : undefined,
  ]);
  return { unconfirmed };
}
