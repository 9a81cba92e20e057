import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { PlaygroundPage } from '../../pages/playground/playground-page.tsx';
import { useSession } from '../../session/use-session.ts';

/** The playground for operators, who chat with the account in which they are signed in. */
export function ConsolePlaygroundPage() {
  const email = useSession().data?.user?.email;
  return (
    <PlaygroundPage>
      <Alert icon={<IconInfoCircle aria-hidden />} radius="md" role="note" title="Your own account pays">
        Chats here are those of {email}, as under “My account”: with that account’s balance, limits and rules.
        No customer pays for them or sees them.
      </Alert>
    </PlaygroundPage>
  );
}
