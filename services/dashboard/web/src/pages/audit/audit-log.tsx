import { Button, Stack } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AuditEvent } from '../../../../wire/audit.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { AuditTable } from './audit-table.tsx';
import { EventDialog } from './event-dialog.tsx';

interface AuditLogProps {
  log: UseInfiniteQueryResult;
  /** Undefined: they are not read yet. */
  events: readonly AuditEvent[] | undefined;
  filters: ReactNode;
  isFiltered: boolean;
  /** True: names the account of each event. */
  withAccounts: boolean;
}

/** Shows events, the newest first, and older ones when the user asks for them. */
export function AuditLog({ events, filters, isFiltered, log, withAccounts }: AuditLogProps) {
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const error = useLastError(log);
  return (
    <>
      <Panel title="Events">
        {filters}
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
          <AuditTable events={events} withAccounts={withAccounts} onOpen={setOpened} />
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
