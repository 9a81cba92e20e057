import { Prisma } from '@model-gateway/database';
import type { Rules, Tags } from '@model-gateway/shared/rules';
import { NOBODY_SUSPENDED } from '../accounts/account-end-store.ts';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges, restoreKeys, suspendKeys } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { refuseDuplicates } from '../database/refuse-duplicates.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { keyChange } from '../keys/key-change.ts';
import { lockKey } from '../keys/locked-key-store.ts';
import { readKey } from '../keys/read-key-store.ts';
import { changeRefusal } from '../keys/require-active-key.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import { rulesChange } from '../rules/rules-change.ts';
import { writeRules } from '../rules/rules-store.ts';
import { NOBODY_STOPPED, SCIM } from '../scim/users/stop-user-store.ts';
import { type KeyWithRules, keyWithRules, rulesOwnerTextOf } from './key-with-rules.ts';

/** New values of a key. Absent members stay unchanged. */
export interface KeyPatch {
  name?: string;
  externalId?: string | null;
  tags?: Tags;
  /** Directives of the cache; null: none. */
  cache?: string | null;
  /** Null: never. */
  expiresAt?: Date | null;
  /** New rules, or a function that makes them from the current ones; undefined: the key has none. */
  rules?: Rules | ((current: Rules | undefined) => Rules);
  /** True: the key is stopped until a patch with false. */
  disabled?: boolean;
}

/** Value of `stopped_by` in keys that `disabled` stopped. */
const API = 'api';

export class KeyPatchStore extends PrismaStore {
  /**
   * Changes several members of a key at once, and notifies data planes.
   * @returns `revision` of the last event; undefined when no data plane needs to know
   * @throws ControlPlaneError not_found, failed_precondition (it has ended), already_exists (external id)
   */
  async patch(
    actor: Actor,
    id: string,
    patch: KeyPatch,
  ): Promise<{ key: KeyWithRules; revision: bigint | undefined }> {
    return await refuseDuplicates('key', patch.externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        // Locks the account before the key, like all code that revokes keys.
        await transaction.$executeRaw`
          SELECT FROM accounts WHERE id = (SELECT account_id FROM api_keys WHERE id = ${id}) FOR SHARE`;
        const before = await lockKey(transaction, id);
        if (before === null || before.kind === 'playground') throw notFound(`there is no key ${id}`);
        requireChangeable(before, patch);
        const written = await writeRules(transaction, rulesOwnerTextOf(before), (current) =>
          typeof patch.rules === 'function' ? patch.rules(current) : (patch.rules ?? current),
        );
        const revision = await writeKey(transaction, before, patch);
        const after = await readKey(transaction, id);
        const key = keyWithRules(after, written.after);
        const ofKey = {
          ...keyChange('api_key.updated', before, after),
          before: keyWithRules(before, written.before),
          after: key,
        };
        const { accountId, object } = ofKey;
        await recordChange(transaction, actor, ofKey, rulesChange({ accountId, object }, written));
        return { key, revision };
      }),
    );
  }
}

/** @throws ControlPlaneError failed_precondition */
function requireChangeable(key: StoredKey, { externalId: _, name: __, ...patch }: KeyPatch): void {
  const refusal = changeRefusal(key);
  const isDisabled = key.suspendedAt !== null && key.stoppedBy === API;
  if (refusal !== undefined && !isDisabled && Object.keys(patch).length > 0)
    throw failedPrecondition(refusal);
}

async function writeKey(
  transaction: Transaction,
  { firstKeyId, id }: StoredKey,
  { disabled, rules, tags, ...columns }: KeyPatch,
): Promise<bigint | undefined> {
  const data = { ...columns, ...(tags === undefined ? {} : { tags: { ...tags } }) };
  if (Object.keys(data).length > 0) await transaction.apiKey.update({ where: { id }, data });
  const first = firstKeyId ?? id;
  const which = Prisma.sql`(id = ${id} OR (${rules !== undefined} AND (id = ${first} OR first_key_id = ${first})))`;
  const isOfRequests =
    rules !== undefined ||
    tags !== undefined ||
    columns.cache !== undefined ||
    columns.expiresAt !== undefined;
  const changed = isOfRequests ? await announceKeyChanges(transaction, which) : undefined;
  return (disabled === undefined ? undefined : await setDisabled(transaction, id, disabled)) ?? changed;
}

/** Stops a key, or restores it unless something else stops it. */
async function setDisabled(
  transaction: Transaction,
  id: string,
  disabled: boolean,
): Promise<bigint | undefined> {
  if (disabled) {
    const revision = await suspendKeys(transaction, Prisma.sql`id = ${id}`);
    await transaction.$executeRaw`
      UPDATE api_keys SET stopped_by = ${API} WHERE id = ${id} AND suspended_at IS NOT NULL AND stopped_by IS NULL`;
    return revision;
  }
  const which = Prisma.sql`id = ${id} AND stopped_by = ${API}`;
  const restorable = Prisma.sql`${which} AND ${NOBODY_SUSPENDED} AND ${NOBODY_STOPPED}`;
  const revision = await restoreKeys(transaction, restorable);
  await transaction.$executeRaw`
    UPDATE api_keys SET stopped_by = CASE WHEN NOT (${NOBODY_STOPPED}) THEN ${SCIM} END WHERE ${which}`;
  return revision;
}
