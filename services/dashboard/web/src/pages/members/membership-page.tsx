import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import type { FindMembershipRequest, OfferedAccount } from '../../../../wire/members.ts';
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
import { useAcceptMembership } from './use-accept-membership.ts';

/** Shows an invitation to an account, opened by its link, after a sign-in if needed. */
export function MembershipPage() {
  const { token, drop } = useLinkToken('membership');
  const { data: session } = useSession();
  if (session === undefined) return <SessionLoading />;
  if (token === undefined) {
    return (
      <MessagePage title="This link is not complete">
        <Text c="dimmed">Open the complete link that you got, or ask for a new one.</Text>
      </MessagePage>
    );
  }
  if (session.user === null) {
    return (
      <SignInFirst title="You are invited to an account" from="/membership" signUpOpen={session.signUpOpen}>
        Sign in to accept the invitation
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
  const navigate = useNavigate();
  const offer = useQuery({
    // A prefix is enough for a cache key, and keeps the secret out of the cache.
    queryKey: ['membership', token.slice(0, 8)],
    queryFn: () =>
      postJson<OfferedAccount>('/api/memberships/find', { token } satisfies FindMembershipRequest),
  });
  const error = useLastError(offer);
  const accept = useAcceptMembership(() => {
    onAccepted();
    void navigate('/dashboard/api-keys', { replace: true });
  });
  const leave = useAction(signOut);
  if (offer.data === undefined) {
    return error === null ? (
      <PageLoading label="Loading the invitation" />
    ) : (
      <MessagePage title="This invitation cannot be shown">
        <ErrorNotice error={error} onRetry={() => void offer.refetch()} />
        <Button component={Link} to="/dashboard/api-keys" variant="default">
          Your keys
        </Button>
      </MessagePage>
    );
  }
  const { accountName, expiresAtMs, role } = offer.data;
  return (
    <MessagePage title={`Join ${accountName}`}>
      <Text c="dimmed" className="break-anywhere">
        You are invited as {role}, until {formatDate(expiresAtMs)}. You are signed in as {email}.
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
