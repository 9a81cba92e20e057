import { Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useAction } from '../../api/use-action.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Fact } from '../../components/fact.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { DocsLink } from '../../session/docs-link.tsx';
import { signOut } from '../../session/sign-out.ts';
import { useMay } from '../../session/use-may.ts';
import { useSession } from '../../session/use-session.ts';
import { ROLE_LABELS } from '../members/role-words.ts';
import { CalendarPanel } from './calendar-panel.tsx';
import { ContentsPanel } from './contents-panel.tsx';

export function AccountPage() {
  const session = useSession().data;
  const isAdmin = useMay('admin');
  const signingOut = useAction(signOut);
  if (session?.user == null) return null;
  const { user, apiBaseUrl } = session;
  return (
    <>
      <PageHeader
        title="Account"
        description="Your profile and sign-in, the address of the API, and settings of budgets and end users."
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Stack gap="lg">
          <Panel title="Profile">
            <Fact label="Name">{user.name}</Fact>
            <Fact label="E-mail">
              <Group gap="xs">
                {user.email}
                {user.emailVerified && <Badge color="green">Confirmed</Badge>}
              </Group>
            </Fact>
            <Fact label="Role">{ROLE_LABELS[user.role]}</Fact>
            <Fact label="Account ID">
              <Code className="break-anywhere">{user.accountId}</Code>
            </Fact>
            <ErrorNotice error={signingOut.error} />
            <Group mt="xs">
              <Button variant="default" loading={signingOut.isPending} onClick={signingOut.run}>
                Sign out
              </Button>
            </Group>
          </Panel>
          <Panel title="API base URL">
            <Hint>Set it as the base URL of any OpenAI client, with one of your keys.</Hint>
            <Code block className="break-anywhere">
              {apiBaseUrl}
            </Code>
            <Group>
              <CopyButton value={apiBaseUrl} label="Copy base URL" size="sm" />
            </Group>
            <Text size="sm">
              <TextLink to="/dashboard/first-request">Code for each client</TextLink>,{' '}
              <DocsLink>API reference</DocsLink>
            </Text>
          </Panel>
        </Stack>
        <Stack gap="lg">
          <Panel
            title="Security"
            description="Where you are signed in, your password, passkeys, and codes of an authenticator app."
          >
            <Text size="sm">
              <TextLink to="/dashboard/account/security">Sessions and sign-in</TextLink>
            </Text>
          </Panel>
          {isAdmin && <CalendarPanel />}
          {isAdmin && <ContentsPanel />}
          {isAdmin && (
            <Panel
              title="End users"
              description="The people who use your programs. Requests name them, and each can have a budget."
            >
              <Text size="sm">
                <TextLink to="/dashboard/account/end-users">Rules of end users</TextLink>
              </Text>
            </Panel>
          )}
        </Stack>
      </SimpleGrid>
    </>
  );
}
