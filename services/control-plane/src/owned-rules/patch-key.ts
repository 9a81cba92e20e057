import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { checkKeyName } from '../keys/check-key-name.ts';
import { requireFuture } from '../keys/require-future.ts';
import type { KeyPatch, KeyPatchStore } from './key-patch-store.ts';
import type { KeyWithRules } from './key-with-rules.ts';

export interface PatchKeyContext extends RevocationContext {
  keyPatchStore: KeyPatchStore;
  log: Logger;
}

/**
 * Changes several members of a key in one transaction, and returns when every data plane knows, as for a
 * revocation.
 * @param request.patch rules and tags are checked already
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError invalid_argument (name, past expiry), as KeyPatchStore.patch
 */
export async function patchKey(
  context: PatchKeyContext,
  actor: Actor,
  { keyId, patch }: { keyId: string; patch: KeyPatch },
): Promise<{ key: KeyWithRules; unconfirmed: string[] }> {
  const { expiresAt, name } = patch;
  const checked = {
    ...patch,
    ...(name === undefined ? {} : { name: checkKeyName(name) }),
    ...(expiresAt == null ? {} : { expiresAt: requireFuture(expiresAt.getTime()) }),
  };
  const { key, revision } = await context.keyPatchStore.patch(actor, keyId, checked);
  context.log.info({ key_id: keyId, account_id: key.account_id, changed: Object.keys(patch) }, 'key changed');
  return { key, unconfirmed: await waitForRevocation(context, revision) };
}
