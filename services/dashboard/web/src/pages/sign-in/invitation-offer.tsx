import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { postJson } from '../../api/client.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import type { TokenPurpose } from '../../session/link-token.ts';
import { SessionLoading } from '../../session/session-loading.tsx';
import { signOut } from '../../session/sign-out.ts';
import { useLinkToken } from '../../session/use-link-token.ts';
import { useSession } from '../../session/use-session.ts';
import { MessagePage } from './message-page.tsx';
import { SignInFirst } from './sign-in-first.tsx';

interface Invitation<Offered> {
  /** Also the path of its page. */
  purpose: Extract<TokenPurpose, 'invitation' | 'membership'>;
  /** Completes "You are invited to …": `a team`. */
  invitedTo: string;
  /** Begins the sentence: "Sign in to take your seat". */
  signIn: string;
  /** Completes "… for a new one": `ask the owner of the team`. */
  ask: string;
  /** Path of the API that finds what a token offers. */
  findPath: string;
  /** Page to go to when there is nothing to accept. */
  elsewhere: { to: string; label: string };
  title: (offered: Offered) => string;
  children: (offered: Offered, email: string) => ReactNode;
  /** Accepts the offer of a token. @param onAccepted called once it is accepted */
  useAccept: (onAccepted: () => void) => Action<[{ token: string }]>;
}

/** Shows an invitation opened by its link, after a sign-in if needed. */
export function InvitationOffer<Offered>(invitation: Invitation<Offered>) {
  const { ask, invitedTo, purpose, signIn } = invitation;
  const { token, drop } = useLinkToken(purpose);
  const { data: session } = useSession();
  if (session === undefined) return <SessionLoading />;
  if (token === undefined) {
    return (
      <MessagePage title="This link is not complete">
        <Text c="dimmed">Open the complete link that you got, or {ask} for a new one.</Text>
      </MessagePage>
    );
  }
  if (session.user === null) {
    return (
      <SignInFirst
        title={`You are invited to ${invitedTo}`}
        from={`/${purpose}`}
        signUpOpen={session.signUpOpen}
      >
        {signIn}
      </SignInFirst>
    );
  }
  return (
    <Offer key={token} token={token} email={session.user.email} onAccepted={drop} invitation={invitation} />
  );
}

interface OfferProps<Offered> {
  token: string;
  email: string;
  onAccepted: () => void;
  invitation: Invitation<Offered>;
}

function Offer<Offered>({ token, email, onAccepted, invitation }: OfferProps<Offered>) {
  const { children, elsewhere, findPath, purpose, title, useAccept } = invitation;
  const offer = useQuery({
    // A prefix is enough for a cache key, and keeps the secret out of the cache.
    queryKey: [purpose, token.slice(0, 8)],
    queryFn: () => postJson<Offered>(findPath, { token }),
  });
  const error = useLastError(offer);
  const accept = useAccept(onAccepted);
  const leave = useAction(signOut);
  if (offer.data === undefined) {
    return error === null ? (
      <PageLoading label="Loading the invitation" />
    ) : (
      <MessagePage title="This invitation cannot be shown">
        <ErrorNotice error={error} onRetry={() => void offer.refetch()} />
        <Button component={Link} to={elsewhere.to} variant="default">
          {elsewhere.label}
        </Button>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={title(offer.data)}>
      <Text c="dimmed" className="break-anywhere">
        {children(offer.data, email)}
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
