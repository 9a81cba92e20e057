import type { RulesOwnerMessage } from '@model-gateway/contracts';
import { hasAtMost, MAX_END_USER } from '@model-gateway/shared';
import { endUserOwner, ruleOwner } from '@model-gateway/shared/rules';
import type { AccountStore, StoredAccount } from '../accounts/account-store.ts';
import { endUserAlias } from '../end-users/end-user-resource.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { changeRefusal } from '../keys/require-active-key.ts';
import { requireKey } from '../keys/revoke-key.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import type { RulesToChange } from './owned-rules-store.ts';

export interface RulesOwnerContext {
  keyStore: KeyStore;
  accountStore: Pick<AccountStore, 'require'>;
  teamStore: Pick<TeamStore, 'require'>;
  seatStore: Pick<SeatStore, 'find'>;
}

export interface RulesOwner extends RulesToChange {
  /** Owners whose rules apply together, lowest first, as the database stores them. */
  levels: readonly string[];
  /** The account of the key, seat or end users; for a team its owner. */
  accountId: string;
  /** The account whose calendar applies to budgets of a seat and its team. */
  teamAccountId?: string | undefined;
  /** Tells why the rules cannot change any more; undefined: they can. */
  refusal: string | undefined;
  endUser?: string | undefined;
  /** Own expiry of a key, besides that of its rules. */
  expiresAt?: Date | null;
}

/**
 * Finds the owner of rules, and its levels.
 * @throws ControlPlaneError invalid_argument (kind, end user), not_found
 */
export async function findRulesOwner(
  context: RulesOwnerContext,
  message: RulesOwnerMessage | null,
): Promise<RulesOwner> {
  const { endUser = '', id = '', kind } = message ?? {};
  switch (kind) {
    case 'key':
      return await rulesOwnerOfKey(context, requireVisible(await requireKey(context, id), id));
    case 'seat':
      return await ownerOfSeat(context, id);
    case 'team':
      return await ownerOfTeam(context, id);
    case 'account':
      return ofAccount(await context.accountStore.require(id), kind, (account) => [
        ruleOwner('account', account.id),
      ]);
    case 'end_users':
      return ofAccount(await context.accountStore.require(id), kind, (account) => [
        ruleOwner('end_users', account.id),
        ruleOwner('account', account.id),
      ]);
    case 'end_user': {
      if (endUser === '' || !hasAtMost(endUser, MAX_END_USER) || endUser.includes('\0'))
        throw invalidArgument(`an end user has 1 to ${MAX_END_USER} characters, without NUL`);
      const account = await context.accountStore.require(id);
      const levels = [endUserOwner(account.id, endUser), ruleOwner('account', account.id)];
      const event = { object: endUserObject(account.id, endUser), accountId: account.id };
      return { ...ofAccount(account, kind, () => levels), endUser, endUserOf: account.id, event };
    }
    default:
      throw invalidArgument(
        'name the owner of the rules: a key, a seat, a team, an account, its end users or one end user',
      );
  }
}

function requireVisible(key: StoredKey, id: string): StoredKey {
  if (key.kind === 'playground') throw notFound(`there is no key ${id}`);
  return key;
}

/** Returns a key as an owner. A rotated key shares rules and budgets with the keys that it replaced. */
export async function rulesOwnerOfKey(context: RulesOwnerContext, key: StoredKey): Promise<RulesOwner> {
  const first = key.firstKeyId ?? key.id;
  const text = ruleOwner('key', first);
  const seat = key.seatId === null ? undefined : await ownerOfSeat(context, key.seatId);
  return {
    text,
    levels: [
      text,
      ...(seat?.levels.filter((level) => !level.startsWith('account:')) ?? []),
      ruleOwner('account', key.accountId),
    ],
    keysOf: { kind: 'key', id: first },
    accountId: key.accountId,
    teamAccountId: seat?.teamAccountId,
    event: { object: { type: 'key', id: key.id, name: key.name }, accountId: key.accountId },
    refusal: changeRefusal(key),
    expiresAt: key.expiresAt,
  };
}

async function ownerOfSeat(
  { seatStore, teamStore }: Pick<RulesOwnerContext, 'seatStore' | 'teamStore'>,
  id: string,
): Promise<RulesOwner> {
  const seat = await seatStore.find(id);
  if (seat === null) throw notFound(`there is no seat ${id}`);
  const team = await teamStore.require(seat.teamId);
  const text = ruleOwner('seat', id);
  return {
    text,
    levels: [text, ruleOwner('team', team.id), ruleOwner('account', seat.accountId)],
    keysOf: { kind: 'seat', id },
    accountId: seat.accountId,
    teamAccountId: team.ownerAccountId,
    event: { object: { type: 'seat', id, name: seat.account.email }, accountId: team.ownerAccountId },
    refusal: seat.removedAt === null ? undefined : `the seat ${id} has been removed`,
  };
}

async function ownerOfTeam(
  { teamStore }: Pick<RulesOwnerContext, 'teamStore'>,
  id: string,
): Promise<RulesOwner> {
  const { deletedAt, name, ownerAccountId } = await teamStore.require(id);
  const text = ruleOwner('team', id);
  return {
    text,
    levels: [text],
    keysOf: { kind: 'team', id },
    accountId: ownerAccountId,
    teamAccountId: ownerAccountId,
    event: { object: { type: 'team', id, name }, accountId: ownerAccountId },
    refusal: deletedAt === null ? undefined : `the team ${id} is deleted`,
  };
}

function ofAccount(
  account: StoredAccount,
  type: 'account' | 'end_users' | 'end_user',
  levelsOf: (account: StoredAccount) => string[],
): RulesOwner {
  const levels = levelsOf(account);
  return {
    text: levels[0] ?? '',
    levels,
    keysOf: { kind: 'account', id: account.id },
    accountId: account.id,
    event: { object: { type, id: account.id, name: account.email }, accountId: account.id },
    refusal: account.deletedAt === null ? undefined : `the account ${account.id} is deleted`,
  };
}

/**
 * Names an end user in audit events by a hash: they stay when the end user is deleted, and its id may be an
 * address or a name.
 */
function endUserObject(accountId: string, endUser: string): RulesOwner['event']['object'] {
  return { type: 'end_user', id: endUserAlias(accountId, endUser), name: '' };
}
