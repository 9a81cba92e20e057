import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import type { RecordedChange } from '../audit/record-change.ts';
import { revokeListedKeys } from '../data-planes/key-event-store.ts';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { seatRemovals } from '../seats/removed-seats-store.ts';
import { seatResource } from '../seats/seat-resource.ts';
import type { AppliedAssignments, AssignedPerson, AssignmentChange, Targets } from './assignment-change.ts';
import { isProvisionedBy } from './own-provider-store.ts';

const OF_TEAM = {
  account: { select: { email: true } },
  team: { select: { ownerAccountId: true } },
} as const;
const seatRows = z.array(
  z.object({ id: z.string(), teamId: z.string(), accountId: z.string(), isSources: z.boolean() }),
);

/** Adds and removes the seats of a source, and revokes the keys on removed ones. Other seats stay. */
export async function applySeats(
  transaction: Transaction,
  { onlyAccountId, people, source, targets }: AssignmentChange,
): Promise<AppliedAssignments> {
  const wanted = wantedSeats(people, targets);
  const accountIds = people.flatMap(({ accountId }) => accountId ?? []);
  const only = onlyAccountId ?? null;
  const current = await queryRows(transaction, seatRows)`
    SELECT s.id, s.team_id AS "teamId", s.account_id AS "accountId", (
      s.source IS NOT DISTINCT FROM ${source}
      AND NOT (${only}::text IS NULL AND ${isProvisionedBy('t.owner_account_id', 'a.email')})
    ) AS "isSources"
    FROM seats s JOIN teams t ON t.id = s.team_id JOIN accounts a ON a.id = s.account_id
    WHERE s.account_id = ANY(${accountIds}) AND s.removed_at IS NULL
      AND (${only}::text IS NULL OR t.owner_account_id = ${only})`;
  const surplusIds = current
    .filter((seat) => !wanted.delete(`${seat.teamId} ${seat.accountId}`) && seat.isSources)
    .map(({ id }) => id);
  const changes: RecordedChange[] = [];
  for (const seat of wanted.values()) {
    const created = await transaction.seat.create({
      data: { id: newId('seat'), ...seat, source },
      include: OF_TEAM,
    });
    changes.push({
      action: 'seat.created',
      object: { type: 'seat', id: created.id, name: created.account.email },
      accountId: created.team.ownerAccountId,
      before: null,
      after: seatResource(created),
    });
  }
  if (surplusIds.length === 0) return { changes, revision: undefined };
  const removedAt = new Date();
  await transaction.seat.updateMany({ where: { id: { in: surplusIds } }, data: { removedAt } });
  const { keyIds, revision } = await revokeListedKeys(transaction, Prisma.sql`seat_id = ANY(${surplusIds})`);
  const removals = await seatRemovals(transaction, surplusIds, keyIds);
  return { changes: [...changes, ...removals], revision };
}

function wantedSeats(people: readonly AssignedPerson[], { teamIds }: Targets) {
  return new Map(
    people.flatMap(({ accountId, assignments }) =>
      accountId === undefined
        ? []
        : assignments.teamIds
            .filter((teamId) => teamIds.has(teamId))
            .map((teamId) => [`${teamId} ${accountId}`, { teamId, accountId }] as const),
    ),
  );
}
