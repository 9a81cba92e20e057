import { Prisma } from '@model-gateway/database';
import { endUserOwner } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { refuseDuplicates } from '../database/refuse-duplicates.ts';
import { alreadyExists } from '../errors/control-plane-error.ts';
import { endUserChange } from './end-user-resource.ts';
import { type EndUserKey, type StoredEndUser, storedEndUser } from './stored-end-user.ts';

/** End users that are known: by an external id, by rules, or by requests. */
export class EndUserStore extends PrismaStore {
  async find(key: EndUserKey): Promise<StoredEndUser | null> {
    return await findEndUser(this.prisma, key);
  }

  /**
   * Adds an end user before its first request, or one that requests have named.
   * @throws ControlPlaneError already_exists (added before, or another one has the external id)
   */
  async create(actor: Actor, key: EndUserKey, externalId: string | null): Promise<StoredEndUser> {
    return await refuseDuplicates('end user', externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        const { accountId, endUser: id } = key;
        await lockEndUsers(transaction, accountId);
        const known = await findEndUser(transaction, key);
        if (known !== null && known.createdAt !== null) throw alreadyExists('the account has this end user');
        await transaction.endUser.create({ data: { accountId, id, externalId } });
        const after = await requireEndUser(transaction, key);
        await recordChange(transaction, actor, endUserChange('end_user.created', null, after));
        return after;
      }),
    );
  }

  /**
   * @returns null for an unknown end user
   * @throws ControlPlaneError already_exists (another one has the external id)
   */
  async setExternalId(
    actor: Actor,
    key: EndUserKey,
    externalId: string | null,
  ): Promise<StoredEndUser | null> {
    return await refuseDuplicates('end user', externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        const { accountId, endUser: id } = key;
        await lockEndUsers(transaction, accountId);
        const before = await findEndUser(transaction, key);
        if (before === null) return null;
        await transaction.endUser.upsert({
          where: { accountId_id: { accountId, id } },
          create: { accountId, id, externalId },
          update: { externalId },
        });
        const after = await requireEndUser(transaction, key);
        await recordChange(transaction, actor, endUserChange('end_user.updated', before, after));
        return after;
      }),
    );
  }
}

/** Serializes changes of an account's end users. */
async function lockEndUsers(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

async function requireEndUser(transaction: Transaction, key: EndUserKey): Promise<StoredEndUser> {
  const found = await findEndUser(transaction, key);
  if (found === null) throw new Error('an end user that was written is missing');
  return found;
}

/** Finds an end user that was added, or that has rules, sums or records. */
export async function findEndUser(
  client: Pick<Transaction, '$queryRaw'>,
  { accountId, endUser }: EndUserKey,
): Promise<StoredEndUser | null> {
  const [found] = await queryRows(client, z.array(storedEndUser))`
    SELECT ${endUser} AS id, ${accountId} AS "accountId", e.external_id AS "externalId", e.created_at AS "createdAt",
      r.owner IS NOT NULL AS "hasRules"
    FROM (VALUES (1)) AS one
    LEFT JOIN end_users e ON e.account_id = ${accountId} AND e.id = ${endUser}
    LEFT JOIN rules r ON r.owner = ${endUserOwner(accountId, endUser)}
    WHERE e.id IS NOT NULL OR r.owner IS NOT NULL
      OR EXISTS (SELECT FROM usage_label_days u WHERE ${isLabelled(accountId)} AND u.value = ${endUser})
      OR EXISTS (
        -- Not summed yet, or among the values that sums do not keep apart.
        SELECT FROM usage_records u
        WHERE u.account_id = ${accountId} AND u.end_user = ${endUser} AND u.ended_at >= least(
          (SELECT min(u.bucket) FROM usage_label_days u WHERE ${isLabelled(accountId)} AND u.value = ''),
          (SELECT min(first_ended_at) FROM pending_settlements)
        )
      )`;
  return found ?? null;
}

function isLabelled(accountId: string): Prisma.Sql {
  return Prisma.sql`u.account_id = ${accountId} AND u.label = 'end_user'`;
}
