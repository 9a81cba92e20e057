import { z } from 'zod';
import { timestamp } from '../timestamps.ts';
import type { StoredInvitation } from './stored-invitation.ts';

/** Open offer of a seat, as audit events show it, without its token. */
export const invitationResourceSchema = z.object({
  object: z.literal('invitation'),
  id: z.string(),
  team_id: z.string(),
  email: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
});
export type InvitationResource = z.infer<typeof invitationResourceSchema>;

export function invitationResource(invitation: StoredInvitation): InvitationResource {
  return {
    object: 'invitation',
    id: invitation.id,
    team_id: invitation.teamId,
    email: invitation.email,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}
