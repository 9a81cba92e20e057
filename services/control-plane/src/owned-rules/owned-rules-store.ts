import { Prisma } from '@model-gateway/database';
import type { Tags } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { keyChange } from '../keys/key-change.ts';
import { lockKey } from '../keys/locked-key-store.ts';
import { readKey } from '../keys/read-key-store.ts';
import { type RulesEvent, rulesChange } from '../rules/rules-change.ts';
import { type RulesChange, writeRules } from '../rules/rules-store.ts';

/** The rules to change, and the keys that they apply to. */
export interface RulesToChange {
  /** The owner, as the database stores it. */
  text: string;
  /** Owner of the keys that data planes must reload; for a key the first of its rotations. */
  keysOf: { kind: 'key' | 'seat' | 'team' | 'account'; id: string };
  /** The account of a named end user. */
  endUserOf?: string | undefined;
  event: RulesEvent;
}

/** Settings of a key besides its rules. Absent members stay unchanged. */
export interface KeySettings {
  tags?: Tags;
  /** Null: the key's requests use the cache only if they ask for it. */
  cache?: string | null;
}

export class OwnedRulesStore extends PrismaStore {
  /**
   * Changes rules and budgets, and makes data planes reload the keys.
   * @param ofKey also replaces settings of a key
   * @returns `revision` of the last event; undefined when no key is active
   */
  async change(
    actor: Actor,
    { endUserOf, event, keysOf, text }: RulesToChange,
    change: RulesChange,
    ofKey?: { keyId: string } & KeySettings,
  ): Promise<bigint | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      const written = rulesChange(event, await writeRules(transaction, text, change));
      if (endUserOf !== undefined) {
        await transaction.$executeRaw`
          UPDATE accounts SET end_users_version = end_users_version + 1 WHERE id = ${endUserOf}`;
      }
      const keyChanged = ofKey && (await replaceSettings(transaction, ofKey));
      const revision = await announceKeyChanges(transaction, isKeyOf(keysOf));
      if (keyChanged === undefined) await recordChange(transaction, actor, written);
      else await recordChange(transaction, actor, keyChanged, written);
      return revision;
    });
  }
}

async function replaceSettings(
  transaction: Transaction,
  { keyId, tags, ...columns }: { keyId: string } & KeySettings,
) {
  const before = await lockKey(transaction, keyId);
  const data = { ...columns, ...(tags === undefined ? {} : { tags: { ...tags } }) };
  await transaction.apiKey.update({ where: { id: keyId }, data, select: { id: true } });
  return keyChange('api_key.updated', before, await readKey(transaction, keyId));
}

/** Returns a condition on api_keys. */
function isKeyOf({ id, kind }: RulesToChange['keysOf']): Prisma.Sql {
  switch (kind) {
    case 'key':
      return Prisma.sql`(id = ${id} OR first_key_id = ${id})`;
    case 'seat':
      return Prisma.sql`seat_id = ${id}`;
    case 'team':
      return Prisma.sql`seat_id IN (SELECT seats.id FROM seats WHERE seats.team_id = ${id})`;
    case 'account':
      return Prisma.sql`account_id = ${id}`;
  }
}
