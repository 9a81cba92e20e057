import type { OfferedSeatEntry } from '../../../../wire/teams.ts';
import { formatDate } from '../../format/format-time.ts';
import { InvitationOffer } from '../sign-in/invitation-offer.tsx';
import { useAcceptInvitation } from './use-accept-invitation.ts';

/** Shows an invitation to a team. */
export function InvitationPage() {
  return (
    <InvitationOffer<OfferedSeatEntry>
      purpose="invitation"
      invitedTo="a team"
      signIn="Sign in to take your seat"
      ask="ask the owner of the team"
      findPath="/api/invitations/find"
      elsewhere={{ to: '/dashboard/teams', label: 'Your teams' }}
      title={({ teamName }) => `A seat in ${teamName}`}
      useAccept={useAcceptInvitation}
    >
      {({ expiresAtMs }, email) =>
        `The owner of the team offers it to you until ${formatDate(expiresAtMs)}. The team pays for the keys ` +
        `that you create on it. You are signed in as ${email}.`
      }
    </InvitationOffer>
  );
}
