import type { Actor } from '../actors/actor.ts';
import { failedPrecondition, notFound, permissionDenied } from '../errors/control-plane-error.ts';
import { type ContentsSeal, openContents } from './contents-seal.ts';
import type { ContentsSettingStore } from './contents-setting-store.ts';
import type { ContentsStore } from './contents-store.ts';
import type { StoredContents } from './stored-contents.ts';

export interface ViewContentsContext {
  contentsSettingStore: Pick<ContentsSettingStore, 'recordView'>;
  contentsStore: Pick<ContentsStore, 'find'>;
  contentsSeal: Pick<ContentsSeal, 'open'>;
}

export interface ViewedContents extends StoredContents {
  requestId: string;
  storedAt: Date;
  /** When they are deleted. */
  expiresAt: Date;
}

/**
 * Returns the contents of a request after recording the look. The caller has checked that the actor may see
 * requests of the account.
 * @throws ControlPlaneError permission_denied (not turned on), not_found, failed_precondition (unreadable)
 */
export async function viewContents(
  { contentsSeal, contentsSettingStore, contentsStore }: ViewContentsContext,
  actor: Actor,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<ViewedContents> {
  const found = await contentsStore.find(accountId, requestId);
  if (found === undefined)
    throw permissionDenied(
      'the owner of this account has not turned on contents: nothing of its requests is stored',
    );
  const { key, stored } = found;
  if (stored === undefined)
    throw notFound(
      `no contents of ${requestId} are stored: it ran before they were turned on, they are older than the ` +
        'account stores them, the account had as many as it may have (CONTENTS_ACCOUNT_MB), or a data plane ' +
        'could not send them',
    );
  const opened = contentsSeal.open(key, accountId);
  const contents = opened && (await openContents(opened, requestId, stored.sealed));
  if (contents === undefined)
    throw failedPrecondition(
      `the contents of ${requestId} cannot be decrypted: they were stored with another API_KEY_LOOKUP_PEPPER`,
    );
  await contentsSettingStore.recordView(actor, accountId, requestId);
  const { expiresAt, storedAt } = stored;
  return { requestId, storedAt, expiresAt, ...contents };
}
