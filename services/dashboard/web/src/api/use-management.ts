import { useQuery } from '@tanstack/react-query';
import type { ReadName, ReadRequest } from '../../../wire/management.ts';
import { readManagement } from './management.ts';

/** Reads from the management API. */
export function useManagement<Name extends ReadName>(operation: Name, request: ReadRequest<Name>) {
  return useQuery({
    queryKey: ['management', operation, request],
    queryFn: ({ signal }) => readManagement(operation, request, signal),
  });
}
