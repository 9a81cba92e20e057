import type { UseQueryResult } from '@tanstack/react-query';
import { useLastError } from '../api/use-last-error.ts';
import { ErrorNotice } from './error-notice.tsx';
import { PageLoading } from './page-loading.tsx';

/** Shows that a query is loading or why it fails. Old data stays on the page below it. */
export function QueryState({ query, loading }: { query: UseQueryResult; loading: string }) {
  const error = useLastError(query);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void query.refetch()} />;
  return query.data === undefined ? <PageLoading label={loading} /> : null;
}
