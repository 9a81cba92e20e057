import { SimpleGrid, Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useSession } from '../../session/use-session.ts';
import { AppPanel } from './app-panel.tsx';
import { ChangePasswordForm } from './change-password-form.tsx';
import { PasskeysPanel } from './passkeys-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { useSecurity } from './use-security.ts';

export function SecurityPage() {
  const session = useSession().data;
  const security = useSecurity();
  if (session?.user == null) return null;
  const { data } = security;
  return (
    <>
      <PageHeader title="Security" description="Where you are signed in, and how you prove that it is you." />
      <Stack gap="lg">
        <QueryState query={security} loading="Reading your sessions" />
        {data !== undefined && (
          <>
            <SessionsPanel sessions={data.sessions} />
            {session.ssoOnly ? (
              <Panel title="Sign-in">Your identity provider decides how you sign in.</Panel>
            ) : (
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
                <Stack gap="lg">
                  <PasskeysPanel passkeys={data.passkeys} />
                  {data.hasPassword && <AppPanel app={data.app} />}
                </Stack>
                {data.hasPassword && (
                  <Panel title="Password">
                    <ChangePasswordForm email={session.user.email} />
                  </Panel>
                )}
              </SimpleGrid>
            )}
          </>
        )}
      </Stack>
    </>
  );
}
