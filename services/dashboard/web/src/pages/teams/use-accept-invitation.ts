import { useNavigate } from 'react-router';
import type { AcceptInvitationAnswer, AcceptInvitationRequest } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { useTeamChange } from './use-team-change.ts';

/** Accepts an offered seat, and goes to the page of its team. @param onAccepted called before that */
export function useAcceptInvitation(onAccepted?: () => void) {
  const navigate = useNavigate();
  return useTeamChange(async (which: AcceptInvitationRequest) => {
    const { teamId } = await postJson<AcceptInvitationAnswer>('/api/invitations/accept', which);
    onAccepted?.();
    await navigate(`/dashboard/teams/${encodeURIComponent(teamId)}`);
  });
}
