import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { FindInvitationRequest, OfferedSeatEntry } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { formatDate } from '../../format/format-time.ts';
import { SessionLoading } from '../../session/session-loading.tsx';
import { signOut } from '../../session/sign-out.ts';
import { useLinkToken } from '../../session/use-link-token.ts';
import { useSession } from '../../session/use-session.ts';
import { MessagePage } from '../sign-in/message-page.tsx';
import { SignInFirst } from '../sign-in/sign-in-first.tsx';
import { useAcceptInvitation } from './use-accept-invitation.ts';

/** Shows an invitation opened by its link, after a sign-in if needed. */
export function InvitationPage() {
  const { token, drop } = useLinkToken('invitation');
  const { data: session } = useSession();
  if (session === undefined) return <SessionLoading />;
  if (token === undefined) {
    return (
      <MessagePage title="This link is not complete">
        <Text c="dimmed">
          Open the complete link that you got, or ask the owner of the team for a new one.
        </Text>
      </MessagePage>
    );
  }
  if (session.user === null) {
    return (
      <SignInFirst title="You are invited to a team" from="/invitation" signUpOpen={session.signUpOpen}>
        Sign in to take your seat
      </SignInFirst>
    );
  }
  return <Offer key={token} token={token} email={session.user.email} onAccepted={drop} />;
}

interface OfferProps {
  token: string;
  email: string;
  onAccepted: () => void;
}

function Offer({ token, email, onAccepted }: OfferProps) {
  const offer = useQuery({
    // A prefix is enough for a cache key, and keeps the secret out of the cache.
    queryKey: ['invitation', token.slice(0, 8)],
    queryFn: () =>
      postJson<OfferedSeatEntry>('/api/invitations/find', { token } satisfies FindInvitationRequest),
  });
  const error = useLastError(offer);
  const accept = useAcceptInvitation(onAccepted);
  const leave = useAction(signOut);
  if (offer.data === undefined) {
    return error === null ? (
      <PageLoading label="Loading the invitation" />
    ) : (
      <MessagePage title="This invitation cannot be shown">
        <ErrorNotice error={error} onRetry={() => void offer.refetch()} />
        <Button component={Link} to="/dashboard/teams" variant="default">
          Your teams
        </Button>
      </MessagePage>
    );
  }
  const { teamName, expiresAtMs } = offer.data;
  return (
    <MessagePage title={`A seat in ${teamName}`}>
      <Text c="dimmed" className="break-anywhere">
        The owner of the team offers it to you until {formatDate(expiresAtMs)}. The team pays for the keys
        that you create on it. You are signed in as {email}.
      </Text>
      <ErrorNotice error={accept.error} />
      <ErrorNotice error={leave.error} />
      <Group gap="sm">
        <Button loading={accept.isPending} onClick={() => accept.run({ token })}>
          Accept invitation
        </Button>
        <Button variant="default" loading={leave.isPending} onClick={leave.run}>
          Use another account
        </Button>
      </Group>
    </MessagePage>
  );
}
