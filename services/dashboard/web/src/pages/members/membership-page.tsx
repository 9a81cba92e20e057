import { useNavigate } from 'react-router';
import type { OfferedAccount } from '../../../../wire/members.ts';
import { formatDate } from '../../format/format-time.ts';
import { InvitationOffer } from '../sign-in/invitation-offer.tsx';
import { useAcceptMembership } from './use-accept-membership.ts';

/** Shows an invitation to an account. */
export function MembershipPage() {
  return (
    <InvitationOffer<OfferedAccount>
      purpose="membership"
      invitedTo="an account"
      signIn="Sign in to accept the invitation"
      ask="ask"
      findPath="/api/memberships/find"
      elsewhere={{ to: '/dashboard/api-keys', label: 'Your keys' }}
      title={({ accountName }) => `Join ${accountName}`}
      useAccept={useAccept}
    >
      {({ expiresAtMs, role }, email) =>
        `You are invited as ${role}, until ${formatDate(expiresAtMs)}. You are signed in as ${email}.`
      }
    </InvitationOffer>
  );
}

function useAccept(onAccepted: () => void) {
  const navigate = useNavigate();
  return useAcceptMembership(() => {
    onAccepted();
    void navigate('/dashboard/api-keys', { replace: true });
  });
}
