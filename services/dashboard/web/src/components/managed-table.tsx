import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RequestOf } from '../../../wire/management.ts';
import { useLastError } from '../api/use-last-error.ts';
import { type ItemOf, type ListName, useManagementList } from '../api/use-management.ts';
import { type Column, EntryTable } from './entry-table.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { PageLoading } from './page-loading.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

interface ManagedTableProps<Name extends ListName> {
  operation: Name;
  /** Filters, without `cursor`. */
  request: RequestOf<Name>;
  /** Names the list for screen readers. */
  caption: string;
  idOf: (item: ItemOf<Name>) => string;
  columns: readonly [Column<ItemOf<Name>>, ...Column<ItemOf<Name>>[]];
  /** Shown if there is no item. */
  empty: ReactNode;
  isDimmed?: (item: ItemOf<Name>) => boolean;
  /** True if the table is in no panel, so that it needs a frame. */
  isFramed?: boolean;
  /** Shows cards in windows up to this width. */
  cardsBelow?: string;
  /** Reads again after this time; left out: only when the page is shown again. */
  refetchMs?: number;
}

/**
 * Shows a list of the management API, newest first, and the next page when the user asks for it. Renders only
 * the rows of a long list that are on the screen.
 */
export function ManagedTable<Name extends ListName>(props: ManagedTableProps<Name>) {
  const { operation, request, refetchMs, caption, cardsBelow, columns, empty, idOf, isDimmed, isFramed } =
    props;
  const list = useManagementList(operation, request, refetchMs === undefined ? {} : { refetchMs });
  const error = useLastError(list);
  const items = list.data?.pages.flatMap((page): ItemOf<Name>[] => page.data);
  const { frame, rows } = useVirtualRows(items?.length ?? 0);
  return (
    <>
      <ErrorNotice error={error} onRetry={() => void list.refetch()} />
      {items === undefined && error === null && <PageLoading label={`Reading: ${caption}`} />}
      {items?.length === 0 && empty}
      {items !== undefined && items.length > 0 && (
        <div ref={frame}>
          <EntryTable
            {...{ caption, columns, idOf, rows }}
            entries={items}
            {...(isDimmed !== undefined && { isDimmed })}
            {...(isFramed !== undefined && { isFramed })}
            {...(cardsBelow !== undefined && { cardsBelow })}
          />
        </div>
      )}
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
