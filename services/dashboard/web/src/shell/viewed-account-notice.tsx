import { Alert, Button, Group, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { postJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { consolePaths } from '../console-paths.ts';
import { refreshSession } from '../session/sign-out.ts';
import { useSession } from '../session/use-session.ts';

/** Names the account that an operator or auditor is viewing, and leaves it. */
export function ViewedAccountNotice() {
  const user = useSession().data?.user;
  const navigate = useNavigate();
  const leave = useAction(async () => {
    await postJson<undefined>('/api/session/view/end');
    await navigate(consolePaths.account(user?.accountId ?? ''));
    await refreshSession();
  });
  if (user?.viewing == null) return null;
  const { email, name } = user.viewing;
  return (
    <Alert
      color="orange"
      icon={<IconEye aria-hidden />}
      title={`You are viewing the account ${name}`}
      role="region"
      mb="lg"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          These are the pages of {email} as its owner sees them. You cannot change anything. The audit log of
          the account records that you opened it.
        </Text>
        <Button size="xs" variant="default" loading={leave.isPending} onClick={() => leave.run()}>
          Leave the account
        </Button>
      </Group>
      <ErrorNotice error={leave.error} />
    </Alert>
  );
}
