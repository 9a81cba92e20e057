import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RequestOf } from '../../../wire/management.ts';
import { useLastError } from '../api/use-last-error.ts';
import { type ItemOf, type ListName, useManagementList } from '../api/use-management.ts';
import type { EntryTableProps } from './entry-table.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { LongTable } from './long-table.tsx';
import { PageLoading } from './page-loading.tsx';

interface ManagedTableProps<Name extends ListName>
  extends Omit<EntryTableProps<ItemOf<Name>>, 'entries' | 'rows'> {
  operation: Name;
  /** Filters, without `cursor`. */
  request: RequestOf<Name>;
  /** Shown if there is no item. */
  empty: ReactNode;
  /** Reads again after this time; left out: only when the page is shown again. */
  refetchMs?: number;
}

/**
 * Shows a list of the management API, newest first, and the next page when the user asks for it.
 */
export function ManagedTable<Name extends ListName>(props: ManagedTableProps<Name>) {
  const { operation, request, refetchMs, empty, ...table } = props;
  const list = useManagementList(operation, request, refetchMs === undefined ? {} : { refetchMs });
  const error = useLastError(list);
  const items = list.data?.pages.flatMap((page): ItemOf<Name>[] => page.data);
  return (
    <>
      <ErrorNotice error={error} onRetry={() => void list.refetch()} />
      {items === undefined && error === null && <PageLoading label={`Reading: ${table.caption}`} />}
      {items?.length === 0 && empty}
      {items !== undefined && items.length > 0 && <LongTable {...table} entries={items} />}
      {list.hasNextPage && (
        <Stack align="center" mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>
        </Stack>
      )}
    </>
  );
}
