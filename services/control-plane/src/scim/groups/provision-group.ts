import type { ScimActor } from '../../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../../data-planes/wait-for-revocation.ts';
import type { GroupMappings } from '../../group-mappings/group-mappings.ts';
import type { Directory } from '../directory.ts';
import { parsePatch } from '../patch-request.ts';
import type { Precondition } from '../users/provision-user.ts';
import { type GroupAttributes, parseGroup } from './group-attributes.ts';
import type { ScimGroupStore } from './group-store.ts';
import { type GroupChange, groupChangeOf } from './patch-group.ts';
import type { StoredGroup } from './stored-group.ts';

export interface ProvisionGroupContext extends RevocationContext {
  groupMappings: GroupMappings;
  scimGroupStore: ScimGroupStore;
}

/** Creates a group, and gives its members its roles and seats. @throws ScimError 400, 409, 413 */
export async function createGroup(
  context: ProvisionGroupContext,
  actor: ScimActor,
  directory: Directory,
  body: unknown,
): Promise<StoredGroup> {
  const { groupMappings, scimGroupStore } = context;
  const { group, revision } = await scimGroupStore.create(actor, directory, parseGroup(body), groupMappings);
  await waitForRevocation(context, revision);
  return group;
}

/**
 * Changes a group. Members that leave it lose its roles and seats, and the keys on these seats.
 * @param change replaces it by a body, or patches it
 * @throws ScimError 400, 404, 409, 412, 413
 */
export async function changeGroup(
  context: ProvisionGroupContext,
  actor: ScimActor,
  directory: Directory,
  { id, check, ...change }: { id: string; check: Precondition } & ({ body: unknown } | { patch: unknown }),
): Promise<StoredGroup> {
  const { groupMappings, scimGroupStore } = context;
  const wanted =
    'patch' in change ? groupChangeOf(parsePatch(change.patch)) : replacing(parseGroup(change.body));
  const { group, revision } = await scimGroupStore.change(actor, directory, id, groupMappings, (current) => {
    check(current);
    return wanted;
  });
  await waitForRevocation(context, revision);
  return group;
}

/** Deletes a group. Its members lose its roles and seats. @throws ScimError 404, 412 */
export async function deleteGroup(
  context: ProvisionGroupContext,
  actor: ScimActor,
  directory: Directory,
  { id, check }: { id: string; check: Precondition },
): Promise<void> {
  const { groupMappings, scimGroupStore } = context;
  const { revision } = await scimGroupStore.delete(actor, directory, id, groupMappings, check);
  await waitForRevocation(context, revision);
}

/** Converts a PUT to a change. Without `members`, members stay (RFC 7644, section 3.5.1). */
function replacing({ displayName, externalId, members }: GroupAttributes): GroupChange {
  const changes = members === undefined ? [] : [{ op: 'replace', ids: members } as const];
  return { displayName, externalId: externalId ?? null, members: changes };
}
