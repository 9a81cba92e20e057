import { useEffect, useState } from 'react';

interface QueryState {
  error: Error | null;
  status: 'pending' | 'error' | 'success';
}

/**
 * Why a query failed last, until it succeeds. A query without an answer forgets that as soon as it tries again: whoever
 * shows its own error would show and hide it by turns.
 */
export function useLastError({ error, status }: QueryState): Error | null {
  const [last, setLast] = useState<Error | null>(null);
  useEffect(() => {
    if (status !== 'pending') setLast(error);
  }, [error, status]);
  return status === 'pending' ? last : error;
}
