import { IconShieldCheck } from '@tabler/icons-react';
import type { RequestOf } from '../../../../wire/management.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { useManagementList } from '../../api/use-management.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { RefusedTable } from './requests-table.tsx';
import { SearchFooter } from './search-footer.tsx';

const POLL_MS = 10_000;

/** Lists what was refused before any provider, for the filters that such requests have. */
export function RefusedList({ query }: { query: NonNullable<RequestOf<'listRefusedRequests'>['query']> }) {
  const list = useManagementList('listRefusedRequests', { query }, { refetchMs: POLL_MS });
  const error = useLastError(list);
  const refused = list.data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <Hint mb="sm">
        Equal refusals of a key within an hour are one row. They are kept for seven days, have no receipt and
        cost nothing. Filters that do not apply to them are ignored.
      </Hint>
      <ErrorNotice error={error} onRetry={() => void list.refetch()} />
      {refused === undefined && error === null && <PageLoading label="Reading the refused requests" />}
      {refused?.length === 0 && (
        <EmptyState icon={<IconShieldCheck size={28} />} title="Nothing was refused">
          No refused request matches these filters.
        </EmptyState>
      )}
      {refused !== undefined && refused.length > 0 && <RefusedTable refused={refused} />}
      <SearchFooter list={list} />
    </>
  );
}
