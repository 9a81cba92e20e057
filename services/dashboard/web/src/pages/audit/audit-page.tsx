import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AuditEvent, AuditResponse } from '../../../../wire/audit.ts';
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
import { AuditFilters, auditQueryOf } from './audit-filters.tsx';
import { AuditTable } from './audit-table.tsx';
import { EventDialog } from './event-dialog.tsx';

/** Shows who changed what in the account. */
export function AuditPage() {
  return <AuditLog isAll={false} />;
}

/** @param isAll true: of all accounts, for the console */
export function AuditLog({ children, isAll }: { children?: ReactNode; isAll: boolean }) {
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const [address, change] = useAddressQuery();
  const isAdmin = useMay('admin');
  const filter = auditQueryOf(address, isAll);
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
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
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
      {children}
      <Panel title="Events">
        <AuditFilters
          address={address}
          change={change}
          isAll={isAll}
          people={[...people].filter((email) => email !== undefined)}
        />
        <ErrorNotice error={error} onRetry={() => void log.refetch()} />
        {events === undefined && error === null && <PageLoading label="Reading the audit log" />}
        {events?.length === 0 && (
          <Hint>
            {isFiltered
              ? 'No event matches. Enter a whole action, and whole e-mail addresses and ids.'
              : 'Nothing has happened yet.'}
          </Hint>
        )}
        {events !== undefined && events.length > 0 && (
          <AuditTable events={events} withAccounts={isAll} onOpen={setOpened} />
        )}
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
      <EventDialog event={opened} onClose={() => setOpened(null)} />
    </>
  );
}
