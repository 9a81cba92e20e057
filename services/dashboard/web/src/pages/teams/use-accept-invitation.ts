import { useNavigate } from 'react-router';
import type { AcceptInvitationRequest, AcceptInvitationResponse } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { useTeamChange } from './use-team-change.ts';

/** Accepts an invitation, then opens the team's page. @param onAccepted called in between */
export function useAcceptInvitation(onAccepted?: () => void) {
  const navigate = useNavigate();
  return useTeamChange(async (which: AcceptInvitationRequest) => {
    const { teamId } = await postJson<AcceptInvitationResponse>('/api/invitations/accept', which);
    onAccepted?.();
    await navigate(`/dashboard/teams/${encodeURIComponent(teamId)}`);
  });
}
