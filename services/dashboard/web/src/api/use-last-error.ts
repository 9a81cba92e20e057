import { useEffect, useState } from 'react';

interface QueryState {
  error: Error | null;
  status: 'pending' | 'error' | 'success';
}

/**
 * The last error of a query, until it succeeds. A query without an answer clears its own error at every new
 * try, so a page that shows that one would show and hide it by turns.
 */
export function useLastError({ error, status }: QueryState): Error | null {
  const [last, setLast] = useState<Error | null>(null);
  useEffect(() => {
    if (status !== 'pending') setLast(error);
  }, [error, status]);
  return status === 'pending' ? last : error;
}
