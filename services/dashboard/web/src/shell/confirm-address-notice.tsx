import { Alert, Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { postJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { messageOf } from '../components/error-notice.tsx';
import { useSession } from '../session/use-session.ts';

/** If links are mailed, reminds those who have not confirmed their address yet. */
export function ConfirmAddressNotice() {
  const session = useSession().data;
  const [isSent, setSent] = useState(false);
  const send = useAction(async () => {
    await postJson<undefined>('/api/email-verification/request');
    setSent(true);
  });
  if (session?.user == null || session.user.emailVerified || !session.sendsMail) {
    return null;
  }
  return (
    <Alert mb="lg" icon={<IconMail aria-hidden />} title="Confirm your e-mail address" role="note">
      <Text size="sm" className="break-anywhere">
        We have sent a link to {session.user.email}. Open it in this browser. Until then there is no included
        money, and invitations to the address are not shown.
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
