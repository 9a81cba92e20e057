import { NativeSelect, Text } from '@mantine/core';
import type { SessionResponse } from '../../../wire/session.ts';
import { postJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { messageOf } from '../components/error-notice.tsx';
import { refreshSession } from './sign-out.ts';

type User = NonNullable<SessionResponse['user']>;

/** Chooses which of the user's accounts the pages show; nothing for a user with one. */
export function AccountSwitch({ user }: { user: User }) {
  const change = useAction(async (accountId: string) => {
    await postJson<undefined>('/api/session/account', { accountId });
    await refreshSession();
  });
  if (user.accounts.length < 2) return null;
  return (
    <>
      <NativeSelect
        label="Account"
        size="sm"
        mb="xs"
        value={user.accountId}
        disabled={change.isPending}
        data={user.accounts.map(({ id, name, email, role }) => ({
          value: id,
          label: email === user.email ? `${name} (yours)` : `${name} (${role})`,
        }))}
        onChange={({ currentTarget }) => change.run(currentTarget.value)}
      />
      {change.error !== undefined && (
        <Text size="xs" c="red" role="alert" mt={4}>
          {messageOf(change.error)}
        </Text>
      )}
    </>
  );
}
