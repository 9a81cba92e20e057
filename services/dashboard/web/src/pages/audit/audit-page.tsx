import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
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
import { useSession } from '../../session/use-session.ts';
import { AuditTable } from './audit-table.tsx';

/** Shows who changed what in the account, or for auditors in all accounts. */
export function AuditPage() {
  const [address, change] = useAddressQuery();
  const isAdmin = useMay('admin');
  const isAuditor = useSession().data?.user?.isAuditor === true;
  const isAll = isAuditor && (!isAdmin || address.get('all') === 'true');
  const filter = {
    action: address.get('action') ?? undefined,
    actor: address.get('actor') ?? undefined,
    all: isAll ? 'true' : undefined,
  };
  const log = useInfiniteQuery({
    queryKey: ['audit-events', filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<AuditResponse>('/api/audit-events', { ...filter, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const error = useLastError(log);
  const events = log.data?.pages.flatMap((page) => page.events);
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, and who signed in. Entries cannot be edited."
        actions={
          <Button
            component="a"
            href={withQuery('/api/audit-events.ndjson', filter)}
            download
            variant="default"
          >
            Export (NDJSON)
          </Button>
        }
      />
      <Panel title="Events">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Action"
            placeholder="api_key.created"
            value={filter.action ?? ''}
            onChange={({ currentTarget }) => change({ action: currentTarget.value }, { isTyping: true })}
          />
          <TextInput
            label="Done by"
            placeholder="ada@example.com"
            value={filter.actor ?? ''}
            onChange={({ currentTarget }) => change({ actor: currentTarget.value }, { isTyping: true })}
          />
          {isAuditor && isAdmin && (
            <Checkbox
              label="All accounts"
              checked={isAll}
              onChange={({ currentTarget }) => change({ all: currentTarget.checked ? 'true' : undefined })}
            />
          )}
        </Group>
        <ErrorNotice error={error} onRetry={() => void log.refetch()} />
        {events === undefined && error === null && <PageLoading label="Reading the audit log" />}
        {events?.length === 0 && <Hint>No event matches.</Hint>}
        {events !== undefined && events.length > 0 && <AuditTable events={events} />}
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
