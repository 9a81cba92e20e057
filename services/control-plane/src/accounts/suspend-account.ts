import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import type { AccountEndStore } from './account-end-store.ts';
import type { AccountStore } from './account-store.ts';

export interface SuspendAccountContext extends RevocationContext {
  accountStore: Pick<AccountStore, 'require'>;
  accountEndStore: Pick<AccountEndStore, 'suspend' | 'resume'>;
  log: Logger;
}

/**
 * Suspends an account and returns when no data plane accepts its keys or those on its teams' seats. Ends its
 * sessions; nobody can sign in.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, failed_precondition (deleted account)
 */
export async function suspendAccount(
  context: SuspendAccountContext,
  actor: Actor,
  request: { account: string },
) {
  const { id } = await context.accountStore.require(request.account);
  const { revision, ...stopped } = await context.accountEndStore.suspend(actor, id);
  context.log.info({ account_id: id, stopped_key_ids: stopped.keyIds }, 'account suspended');
  return { ...stopped, unconfirmed: await waitForRevocation(context, revision) };
}

/**
 * Restores the keys that suspendAccount stopped, and returns when every data plane knows.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found, failed_precondition (deleted account)
 */
export async function resumeAccount(
  context: SuspendAccountContext,
  actor: Actor,
  request: { account: string },
) {
  const { id } = await context.accountStore.require(request.account);
  const { revision, ...restored } = await context.accountEndStore.resume(actor, id);
  context.log.info({ account_id: id, restored_key_ids: restored.keyIds }, 'account resumed');
  return { ...restored, unconfirmed: await waitForRevocation(context, revision) };
}
