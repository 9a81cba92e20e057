import { Prisma } from '@model-gateway/database';
import { BUDGET_WINDOWS, budgetId, endUserOwner, MAX_BUDGETS, ruleOwner } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { recalls } from '../billing/allowance-store.ts';
import {
  deleteContentsOfRequests,
  requestsWithContentsOf,
} from '../contents/forget-end-user-contents-store.ts';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';
import { forgetEndUserInEvents } from '../events/forget-end-user-store.ts';
import { writeRules } from '../rules/rules-store.ts';
import { endUserChange } from './end-user-resource.ts';
import { findEndUser } from './end-user-store.ts';
import type { EndUserKey } from './stored-end-user.ts';

const outcomeRows = z.tuple([z.object({ requests: z.bigint().nullable(), recalls })]);

export interface EndUserDeletion {
  /** Usage records that named it; null: requests hold money within its budgets, and nothing was deleted. */
  requests: bigint | null;
  /** Recalls of unused money, if `requests` is null. */
  recalls: z.infer<typeof recalls>;
  /** Revision of the last event for data planes; undefined: no key is active. */
  revision: bigint | undefined;
}

export class EndUserDeletionStore extends PrismaStore {
  /**
   * Deletes an end user's rules, what its budgets have counted, and its id on usage records, sums and events,
   * and the contents of its requests.
   * @returns null for an unknown end user
   */
  async delete(actor: Actor, key: EndUserKey): Promise<EndUserDeletion | null> {
    return await this.prisma.$transaction(async (transaction) => {
      const found = await findEndUser(transaction, key);
      if (found === null) return null;
      const { accountId, endUser } = key;
      const owner = endUserOwner(accountId, endUser);
      const budgets = [...budgetIdsOf(owner), ...budgetIdsOf(ruleOwner('end_users', accountId))];
      const requestIds = await requestsWithContentsOf(transaction, key);
      const [outcome] = await queryRows(transaction, outcomeRows)`
        SELECT requests, recalls FROM delete_end_user(${accountId}, ${endUser}, ${budgets}::text[])`;
      if (outcome.requests === null) return { ...outcome, revision: undefined };
      await deleteContentsOfRequests(transaction, accountId, requestIds);
      await forgetEndUserInEvents(transaction, key, budgets);
      await writeRules(transaction, owner, () => undefined);
      await transaction.account.update({
        where: { id: accountId },
        data: { endUsersVersion: { increment: 1 } },
      });
      const revision = await announceKeyChanges(transaction, Prisma.sql`account_id = ${accountId}`);
      await recordChange(transaction, actor, endUserChange('end_user.deleted', found, null));
      return { ...outcome, revision };
    });
  }
}

/** Returns all ids that budgets of an owner can have. */
function budgetIdsOf(owner: string): string[] {
  return BUDGET_WINDOWS.flatMap((window) =>
    Array.from({ length: MAX_BUDGETS }, (_, index) => budgetId(owner, window, index)),
  );
}
