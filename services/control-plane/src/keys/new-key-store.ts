import { type Rules, ruleOwner, type Tags } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { isStoppedWithoutMembers } from '../access/stopped-account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition, invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { rulesChange } from '../rules/rules-change.ts';
import { writeRules } from '../rules/rules-store.ts';
import { keyChange } from './key-change.ts';
import { readKey } from './read-key-store.ts';
import type { StoredHashes } from './stored-hashes.ts';
import type { StoredKey } from './stored-key.ts';

/** A key to store; `newKey` makes one. */
export interface NewKey extends StoredHashes {
  id: string;
  accountId: string;
  seatId: string | undefined;
  /** Member of the account who makes it; undefined: nobody in particular. */
  memberId: string | undefined;
  name: string;
  /** Absent: never. */
  expiresAt?: Date;
  displayPrefix: string;
  tags?: Tags;
  /** Directives of the cache; absent: none. */
  cache?: string;
  /** Id in a system of its operator, unique in the account. */
  externalId?: string;
  /** The first key of its rotations, whose rules it has; absent: itself. */
  firstKeyId?: string;
  /** Its own rules, from its first request on; absent: none. */
  rules?: Rules;
}

const stateRows = z.array(
  z.object({ suspended: z.boolean(), deleted: z.boolean(), stopped: z.boolean().optional() }),
);
const seatRows = z.array(z.object({ accountId: z.string(), removed: z.boolean(), teamDeleted: z.boolean() }));

/**
 * Issues a key with its rules, and records both.
 * @param transaction holds a lock on the account
 * @throws ControlPlaneError as KeyStore.create
 */
export async function recordNewKey(
  transaction: Transaction,
  actor: Actor,
  { rules, ...key }: NewKey,
): Promise<StoredKey> {
  const inserted = await insertKey(transaction, key);
  const { id, name } = inserted;
  const event = { object: { type: 'key', id, name }, accountId: inserted.accountId };
  const written = rules && (await writeRules(transaction, ruleOwner('key', id), () => rules));
  const created = rules === undefined ? inserted : await readKey(transaction, id);
  const further = written === undefined ? [] : [rulesChange(event, written)];
  await recordChange(transaction, actor, keyChange('api_key.created', null, created), ...further);
  return created;
}

/** @param transaction holds a lock on the account @throws ControlPlaneError as KeyStore.create */
export async function insertKey(
  transaction: Transaction,
  { memberId, seatId, ...key }: Omit<NewKey, 'rules'> & { kind?: 'playground' },
): Promise<StoredKey> {
  await requireRunningAccount(transaction, key.accountId);
  if (seatId !== undefined) {
    await requireRunningOwner(transaction, seatId);
    await lockSeat(transaction, seatId, key.accountId);
  }
  const data = { ...key, seatId: seatId ?? null, memberId: memberId ?? null };
  await transaction.apiKey.create({ data, select: { id: true } });
  return await readKey(transaction, key.id);
}

/**
 * Refuses a key of an account that SCIM has stopped and in which nobody else is a member.
 * @param transaction holds a lock on the account
 * @throws ControlPlaneError failed_precondition
 */
async function requireRunningAccount(transaction: Transaction, accountId: string): Promise<void> {
  const [account] = await queryRows(transaction, stateRows)`
    SELECT suspended_at IS NOT NULL AS suspended, deleted_at IS NOT NULL AS deleted,
      ${isStoppedWithoutMembers('accounts')} AS stopped
    FROM accounts WHERE id = ${accountId}`;
  if (account?.deleted) throw failedPrecondition(`the account ${accountId} is deleted`);
  if (account?.suspended) throw failedPrecondition(`the account ${accountId} is suspended`);
  if (account?.stopped)
    throw failedPrecondition(
      `SCIM has stopped the account ${accountId}: activate its owner at the identity provider, or run gatewayctl accounts resume if the provider has deleted the owner`,
    );
}

/** Requires a team owner who is not suspended, and locks it. @throws ControlPlaneError failed_precondition */
async function requireRunningOwner(transaction: Transaction, seatId: string): Promise<void> {
  // A weak lock, so that two accounts issuing keys on seats of each other's teams do not deadlock.
  const [owner] = await queryRows(transaction, stateRows)`
    SELECT suspended_at IS NOT NULL AS suspended, deleted_at IS NOT NULL AS deleted
    FROM accounts WHERE id = (
      SELECT t.owner_account_id FROM seats s JOIN teams t ON t.id = s.team_id WHERE s.id = ${seatId}
    ) FOR KEY SHARE`;
  if (owner?.suspended) throw failedPrecondition('the account that owns the team is suspended');
}

/** Locks the seat and its team. @throws ControlPlaneError */
async function lockSeat(transaction: Transaction, seatId: string, accountId: string): Promise<void> {
  const [seat] = await queryRows(transaction, seatRows)`
    SELECT s.account_id AS "accountId", s.removed_at IS NOT NULL AS removed,
      t.deleted_at IS NOT NULL AS "teamDeleted"
    FROM seats s JOIN teams t ON t.id = s.team_id
    WHERE s.id = ${seatId} FOR SHARE OF s, t`;
  if (seat === undefined) throw notFound(`there is no seat ${seatId}`);
  if (seat.accountId !== accountId) throw invalidArgument(`the seat ${seatId} is another account's`);
  if (seat.removed || seat.teamDeleted) throw failedPrecondition(`the seat ${seatId} has been removed`);
}
