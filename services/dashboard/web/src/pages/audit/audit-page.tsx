import { Button, Group, Stack, TextInput } from '@mantine/core';
import { ACTIONS_IN_ACCOUNTS, CATALOG_ACTIONS } from '@model-gateway/shared/audit-actions';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditResponse } from '../../../../wire/audit.ts';
import { getJson, withQuery } from '../../api/client.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { useMay } from '../../session/use-may.ts';
import { useMembers } from '../members/use-members.ts';
import { AuditTable } from './audit-table.tsx';

/** Shows who changed what in the account. */
export function AuditPage() {
  return <AuditLog isAll={false} />;
}

/** Shows who changed what in all accounts and in the installation. */
export function InstallationAuditPage() {
  return <AuditLog isAll />;
}

function AuditLog({ isAll }: { isAll: boolean }) {
  const [address, change] = useAddressQuery();
  const isAdmin = useMay('admin');
  const filter = {
    action: address.get('action') ?? undefined,
    actor: address.get('actor') ?? undefined,
  };
  const path = isAll ? '/api/installation/audit-events' : '/api/audit-events';
  const log = useInfiniteQuery({
    queryKey: ['audit-events', path, filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<AuditResponse>(path, { ...filter, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const error = useLastError(log);
  const events = log.data?.pages.flatMap((page) => page.events);
  const members = useMembers(isAdmin && !isAll).data;
  const people = new Set([members?.ownerEmail, ...(members?.members ?? []).map(({ email }) => email)]);
  for (const { actor } of events ?? []) people.add(actor.email ?? undefined);
  const isFiltered = filter.action !== undefined || filter.actor !== undefined;
  return (
    <>
      <PageHeader
        title="Audit log"
        description={`Who changed what in ${isAll ? 'all accounts' : 'this account'}, and who signed in.`}
        actions={
          <Button component="a" href={withQuery(`${path}.ndjson`, filter)} download variant="default">
            Export (NDJSON)
          </Button>
        }
      />
      <Panel title="Events">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Action"
            placeholder="api_key.created"
            list="audit-actions"
            autoComplete="off"
            value={filter.action ?? ''}
            onChange={({ currentTarget }) => change({ action: currentTarget.value }, { isTyping: true })}
          />
          <TextInput
            label="Done by"
            placeholder="ada@example.com"
            list="audit-people"
            autoComplete="off"
            value={filter.actor ?? ''}
            onChange={({ currentTarget }) => change({ actor: currentTarget.value }, { isTyping: true })}
          />
        </Group>
        <Choices
          id="audit-actions"
          values={isAll ? [...ACTIONS_IN_ACCOUNTS, ...CATALOG_ACTIONS] : ACTIONS_IN_ACCOUNTS}
        />
        <Choices id="audit-people" values={[...people].filter((email) => email !== undefined)} />
        <ErrorNotice error={error} onRetry={() => void log.refetch()} />
        {events === undefined && error === null && <PageLoading label="Reading the audit log" />}
        {events?.length === 0 && (
          <Hint>
            {isFiltered
              ? 'No event matches. Enter a whole action, and a whole e-mail address or id.'
              : 'Nothing has happened yet.'}
          </Hint>
        )}
        {events !== undefined && events.length > 0 && <AuditTable events={events} withAccounts={isAll} />}
        {log.hasNextPage && (
          <Stack align="center">
            <Button
              variant="default"
              loading={log.isFetchingNextPage}
              onClick={() => void log.fetchNextPage()}
            >
              Older events
            </Button>
          </Stack>
        )}
      </Panel>
    </>
  );
}

/** Offers values for a text field that names this list. */
function Choices({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
