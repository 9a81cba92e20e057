import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { VerifyEmailRequest } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SessionLoading } from '../../session/session-loading.tsx';
import { refreshSession } from '../../session/sign-out.ts';
import { useLinkToken } from '../../session/use-link-token.ts';
import { useSession } from '../../session/use-session.ts';
import { MessagePage } from './message-page.tsx';

/** Confirms the address of the signed-in user with a mailed link. */
export function VerifyEmailPage() {
  const { token, drop } = useLinkToken('verify-email');
  const { data: session } = useSession();
  const [isDone, setDone] = useState(false);
  const verify = useAction(async () => {
    if (token !== undefined) {
      await postJson<undefined>('/api/email-verification', { token } satisfies VerifyEmailRequest);
      await refreshSession();
      setDone(true);
      drop();
    }
  });
  if (session === undefined) return <SessionLoading />;
  if (isDone) {
    return (
      <MessagePage title="Your e-mail address is confirmed">
        <Button component={Link} to="/dashboard/api-keys">
          Go to the dashboard
        </Button>
      </MessagePage>
    );
  }
  if (token === undefined) {
    return (
      <MessagePage title="This link is not complete">
        <Text c="dimmed">Open the complete link from the mail, or request a new one in the dashboard.</Text>
      </MessagePage>
    );
  }
  if (session.user === null) {
    return (
      <MessagePage title="Confirm your e-mail address">
        <Text c="dimmed">
          Sign in first. If you have no account here, somebody else has used your address: close this page,
          and the address stays unconfirmed.
        </Text>
        <Button component={Link} to="/sign-in" state={{ from: '/verify-email' }}>
          Sign in
        </Button>
      </MessagePage>
    );
  }
  return (
    <MessagePage title="Confirm your e-mail address">
      <Text c="dimmed" className="break-anywhere">
        You are signed in as {session.user.email}.
      </Text>
      <ErrorNotice error={verify.error} />
      <Button loading={verify.isPending} onClick={verify.run}>
        Confirm this address
      </Button>
    </MessagePage>
  );
}
