import { pepperFingerprint as fingerprintOf, resolvePayer } from '@model-gateway/shared';
import { type Calendar, DEFAULT_CALENDAR } from '@model-gateway/shared/rules';
import { effectiveLimits } from '../accounts/effective-limits.ts';
import { omitAbsent } from '../omit-absent.ts';
import { resolveRules, type StoredRules } from '../rules/resolved-rules.ts';
import type { KeyLookup, KeyStore } from './key-store.ts';

export interface ResolveKeyContext {
  keyStore: KeyStore;
  /** The streams that a key may have open when its account has no own limit. */
  concurrentStreams: number;
  pepper: string;
}

interface KeyHashes {
  lookupHash: string;
  previousLookupHash?: string | undefined;
  pepperFingerprint?: string | undefined;
}

/**
 * Returns an active key's context and limits; without `key` when no active key has the hash. During a pepper
 * change, moves a key found by its previous hash to the new one; that needs no raw key.
 */
export async function resolveKey(context: ResolveKeyContext, hashes: KeyHashes) {
  const { revision, key } = await findKey(context, hashes);
  if (key === undefined) return { revision: String(revision) };
  const { endUsers, own } = rulesOfKey(key);
  const limits = effectiveLimits(key, context.concurrentStreams);
  return {
    revision: String(revision),
    key: {
      keyId: key.id,
      accountId: key.accountId,
      ...omitAbsent({
        seatId: key.seatId,
        teamId: key.teamId,
        expiresAtMs: lowest(key.expiresAt?.getTime(), own?.expiresAtMs),
        rules: own?.message,
        endUsers,
        contentsKeyId: key.contentsKeyId?.toString(),
        priceListId: key.priceListId,
        cache: key.cache,
      }),
      payer: resolvePayer(key),
      limits: {
        ...limits,
        concurrentStreams: Math.min(limits.concurrentStreams, own?.streams ?? limits.concurrentStreams),
        ...omitAbsent({ teamPerMinute: key.teamPerMinute }),
      },
      tags: key.tags ?? {},
    },
  };
}

/** Returns the rules of a key's levels, and those of the end users of its account. */
function rulesOfKey(key: NonNullable<KeyLookup['key']>) {
  const isEndUsers = ({ owner }: { owner: string }) => owner.startsWith('end_users:');
  const part = (isWanted: (level: { owner: string }) => boolean): StoredRules => {
    const rules = key.rules?.filter(isWanted) ?? [];
    const budgets = key.budgets?.filter(isWanted) ?? [];
    return { rules: rules.length === 0 ? null : rules, budgets: budgets.length === 0 ? null : budgets };
  };
  const calendarOf = (owner: string): Calendar => {
    const isTeams = owner.startsWith('seat:') || owner.startsWith('team:');
    return (isTeams ? key.teamCalendar : key.calendar) ?? DEFAULT_CALENDAR;
  };
  const own = resolveRules(
    part((level) => !isEndUsers(level)),
    calendarOf,
  );
  const template = resolveRules(part(isEndUsers), calendarOf)?.message;
  const version = key.endUsersVersion ?? 0;
  const hasEndUsers = template !== undefined || version > 0;
  return { own, endUsers: hasEndUsers ? { version, ...omitAbsent({ template }) } : undefined };
}

function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

async function findKey(
  { keyStore, pepper }: ResolveKeyContext,
  { lookupHash, previousLookupHash, pepperFingerprint }: KeyHashes,
): Promise<KeyLookup> {
  const found = await keyStore.resolve(lookupHash);
  if (found.key !== undefined || previousLookupHash === undefined) return found;
  if (pepperFingerprint === undefined || pepperFingerprint !== fingerprintOf(pepper)) return found;
  await keyStore.moveHash(previousLookupHash, { lookupHash, pepperFingerprint });
  return await keyStore.resolve(lookupHash);
}
