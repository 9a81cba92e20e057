import type { UserActor } from '../actors/actor.ts';
import { type ViewContentsContext, type ViewedContents, viewContents } from '../contents/view-contents.ts';
import { getHolderReceipt } from './get-receipt.ts';
import type { UsageStore } from './usage-store.ts';

/**
 * Returns the contents of a request of the user's account, as `viewContents` does.
 * @throws ControlPlaneError as `viewContents`; not_found, also for a request of another account
 */
export async function viewHolderContents(
  context: ViewContentsContext & { usageStore: Pick<UsageStore, 'receipt'> },
  actor: UserActor,
  { requestId }: { requestId: string },
  signal: AbortSignal,
): Promise<ViewedContents> {
  await getHolderReceipt(context, actor, { requestId }, signal);
  return await viewContents(context, actor, { accountId: actor.accountId, requestId });
}
