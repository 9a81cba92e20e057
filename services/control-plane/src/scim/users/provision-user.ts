import type { Logger } from '@model-gateway/service-kit';
import type { SignupPool } from '../../accounts/signup-pool.ts';
import type { ScimActor } from '../../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../../data-planes/wait-for-revocation.ts';
import type { GroupMappings } from '../../group-mappings/group-mappings.ts';
import type { Directory } from '../directory.ts';
import { parsePatch } from '../patch-request.ts';
import { patchUser } from './patch-user.ts';
import type { StoredUser } from './stored-user.ts';
import { parseUser } from './user-attributes.ts';
import type { ScimUserStore } from './user-store.ts';

export interface ProvisionContext extends RevocationContext {
  groupMappings: GroupMappings;
  log: Logger;
  scimUserStore: ScimUserStore;
  signupPool: SignupPool;
}

/** Conditions of a request on the resource as it is, such as If-Match. @throws ScimError */
export type Precondition = (current: { version: number }) => void;

/**
 * Makes a person a member: of the account of its address, which is created if there is none, or of the
 * account of the token.
 * @throws ScimError 400, 409
 */
export async function createUser(
  context: ProvisionContext,
  actor: ScimActor,
  directory: Directory,
  body: unknown,
): Promise<StoredUser> {
  const { scimUserStore, signupPool } = context;
  const { revision, user } = await scimUserStore.create(actor, directory, parseUser(body, true), signupPool);
  context.log.info({ scim_user_id: user.id, account_id: user.accountId }, 'user provisioned');
  await waitForRevocation(context, revision);
  return user;
}

/**
 * Changes a user, and returns when every data plane knows which of its keys are stopped or restored.
 * @param change replaces it by a body, or patches it
 * @throws ScimError 400, 404, 409, 412
 */
export async function changeUser(
  context: ProvisionContext,
  actor: ScimActor,
  directory: Directory,
  { id, check, ...change }: { id: string; check: Precondition } & ({ body: unknown } | { patch: unknown }),
): Promise<StoredUser> {
  const operations = 'patch' in change ? parsePatch(change.patch) : undefined;
  const { groupMappings, scimUserStore } = context;
  const { revision, user } = await scimUserStore.change(actor, directory, id, groupMappings, (current) => {
    check(current);
    // A body without `active` must not activate a user.
    return 'body' in change ? parseUser(change.body, current.active) : patchUser(current, operations ?? []);
  });
  const fields = { scim_user_id: user.id, account_id: user.accountId, active: user.active };
  context.log.info(fields, 'provisioned user changed');
  await waitForRevocation(context, revision);
  return user;
}

/** Deletes a user, and returns when no data plane accepts its keys. @throws ScimError 404, 412 */
export async function deleteUser(
  context: ProvisionContext,
  actor: ScimActor,
  directory: Directory,
  { id, check }: { id: string; check: Precondition },
): Promise<void> {
  const { groupMappings, log, scimUserStore } = context;
  const { revision } = await scimUserStore.delete(actor, directory, id, groupMappings, check);
  log.info({ scim_user_id: id }, 'provisioned user deleted');
  await waitForRevocation(context, revision);
}
