import type { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { RecordedChange } from '../audit/record-change.ts';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { invitationResource } from '../teams/invitation-resource.ts';
import { storedInvitation } from '../teams/stored-invitation.ts';
import { changeOf } from './member-change.ts';
import { MEMBER_COLUMNS } from './member-store.ts';
import { storedMember } from './stored-member.ts';

const seatRows = z.array(storedInvitation.extend({ accountId: z.string() }));

/**
 * Withdraws the open invitations that members made to their account and its teams: they may have kept the
 * links. Call it before the members are deleted.
 * @param which condition on rows `maker` of account_members
 * @returns an event for each
 */
export async function withdrawInvitationsBy(
  transaction: Transaction,
  which: Prisma.Sql,
): Promise<RecordedChange[]> {
  const members = await queryRows(transaction, z.array(storedMember))`
    DELETE FROM account_members m USING account_members maker
    WHERE m.account_id = maker.account_id AND m.invited_by = maker.id AND m.token_hash IS NOT NULL AND ${which}
    RETURNING ${MEMBER_COLUMNS}`;
  const seats = await queryRows(transaction, seatRows)`
    DELETE FROM seat_invitations i USING teams t, account_members maker
    WHERE i.team_id = t.id AND t.owner_account_id = maker.account_id AND i.invited_by = maker.id AND ${which}
    RETURNING i.id, i.team_id AS "teamId", i.email, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
      maker.account_id AS "accountId"`;
  return [
    ...members.map((member) => changeOf('member.removed', member, null)),
    ...seats.map(
      ({ accountId, ...invitation }): RecordedChange => ({
        action: 'invite.deleted',
        object: { type: 'invitation', id: invitation.id, name: invitation.email },
        accountId,
        before: invitationResource(invitation),
        after: null,
      }),
    ),
  ];
}
