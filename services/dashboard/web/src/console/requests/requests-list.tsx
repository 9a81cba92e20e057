import { IconListSearch } from '@tabler/icons-react';
import { useLastError } from '../../api/use-last-error.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { RequestsTable } from './requests-table.tsx';
import { SearchFooter } from './search-footer.tsx';
import type { useRequests } from './use-requests.ts';

export function RequestsList({ requests }: { requests: ReturnType<typeof useRequests> }) {
  const { list, liveError, rows } = requests;
  const error = useLastError(list);
  return (
    <>
      <ErrorNotice error={error ?? liveError} onRetry={() => void list.refetch()} />
      {rows === undefined && error === null && <PageLoading label="Reading the requests" />}
      {rows?.length === 0 && (
        <EmptyState icon={<IconListSearch size={28} />} title="No request found">
          {list.hasNextPage
            ? 'None of the requests searched so far matches. Search further back, or name an account or a key.'
            : 'No request matches these filters. Remove one, or choose a longer period.'}
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && <RequestsTable requests={rows} />}
      <SearchFooter list={list} />
    </>
  );
}
