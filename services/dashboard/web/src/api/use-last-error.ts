import { useEffect, useState } from 'react';

interface QueryState {
  error: Error | null;
  status: 'pending' | 'error' | 'success';
}

/**
 * Returns the last error of a query until it succeeds. React-query clears the error at each retry of a query
 * without data, so the notice would flicker.
 */
export function useLastError({ error, status }: QueryState): Error | null {
  const [last, setLast] = useState<Error | null>(null);
  useEffect(() => {
    if (status !== 'pending') setLast(error);
  }, [error, status]);
  return status === 'pending' ? last : error;
}
