import { Alert, Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { postJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { messageOf } from '../components/error-notice.tsx';
import { useSession } from '../session/use-session.ts';

/** Reminds users with an unconfirmed address, if the gateway sends mail. */
export function ConfirmAddressNotice() {
  const session = useSession().data;
  const [isSent, setSent] = useState(false);
  const send = useAction(async () => {
    await postJson<undefined>('/api/email-verification/request');
    setSent(true);
  });
  if (session?.user == null || session.user.emailVerified || !session.sendsMail) return null;
  return (
    <Alert mb="lg" icon={<IconMail aria-hidden />} title="Confirm your e-mail address" role="note">
      <Text size="sm" className="break-anywhere">
        We sent a link to {session.user.email}. Open it in this browser.{' '}
        {session.addressNeedsProof
          ? 'Until you do, you cannot use your account.'
          : 'Until you do, your account has no included balance, and you do not see invitations to the address.'}
      </Text>
      <Group mt="sm" gap="sm">
        <Button size="xs" variant="default" loading={send.isPending} disabled={isSent} onClick={send.run}>
          Send it again
        </Button>
        <Text size="sm" role="status">
          {send.error !== undefined && messageOf(send.error)}
          {send.error === undefined && isSent && 'Another link is on its way.'}
        </Text>
      </Group>
    </Alert>
  );
}
