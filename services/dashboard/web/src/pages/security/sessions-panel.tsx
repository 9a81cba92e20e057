import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { EndOthersResponse, SecurityResponse, SignInWay } from '../../../../wire/security.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { describeBrowser } from '../../format/describe-browser.ts';
import { useSecurityRefetch } from './use-security.ts';

type Session = SecurityResponse['sessions'][number];

/** Lists where the user is signed in. The other sessions can be ended. */
export function SessionsPanel({ sessions }: { sessions: readonly Session[] }) {
  const end = useAction(
    useSecurityRefetch(async ({ id }: Session) => {
      await postJson<undefined>(`/api/security/sessions/${encodeURIComponent(id)}/end`);
    }),
  );
  const endOthers = useAction(
    useSecurityRefetch(async () => {
      await postJson<EndOthersResponse>('/api/security/sessions/end-others');
    }),
  );
  const actions: Column<Session> = {
    ...ACTIONS,
    cell: (session) =>
      !session.isThis && (
        <RemovalButton
          disabled={end.isPending}
          label={`Sign out ${describeBrowser(session.browser)} at ${session.address}`}
          onClick={() => end.run(session)}
        >
          Sign out
        </RemovalButton>
      ),
  };
  return (
    <Panel
      title="Sessions"
      description="Each browser in which you have signed in. A session ends after a week without a visit."
      actions={
        sessions.length > 1 && (
          <Button variant="default" size="xs" loading={endOthers.isPending} onClick={endOthers.run}>
            Sign out all others
          </Button>
        )
      }
    >
      <ErrorNotice error={end.error ?? endOthers.error} />
      <EntryTable
        caption="Your sessions"
        entries={sessions}
        idOf={({ id }) => id}
        columns={[...columns, actions]}
      />
    </Panel>
  );
}

const WAYS: Record<SignInWay, string> = {
  password: 'with password',
  code: 'with password and code',
  passkey: 'with passkey',
  identity_provider: 'with single sign-on',
};

const columns: [Column<Session>, ...Column<Session>[]] = [
  {
    id: 'browser',
    header: 'Browser',
    cell: ({ browser, isThis }) => (
      <Group gap="xs">
        <Text span size="sm" fw={600} title={browser}>
          {describeBrowser(browser)}
        </Text>
        {isThis && <Badge color="green">This session</Badge>}
      </Group>
    ),
  },
  {
    id: 'address',
    header: 'Address',
    cell: ({ address }) => (address === '' ? 'Unknown' : <Code fz="sm">{address}</Code>),
  },
  {
    id: 'created',
    header: 'Signed in',
    cell: ({ createdAtMs, way }) => (
      <Stack gap={0}>
        <Moment ms={createdAtMs} />
        {way !== null && (
          <Text span size="xs" c="dimmed">
            {WAYS[way]}
          </Text>
        )}
      </Stack>
    ),
  },
  { id: 'used', header: 'Last used', cell: ({ usedAtMs }) => <Moment ms={usedAtMs} /> },
];
