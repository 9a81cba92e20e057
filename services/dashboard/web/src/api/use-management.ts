import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReadName, RequestOf, ResponseOf } from '../../../wire/management.ts';
import { readManagement } from './management.ts';
import { queryClient } from './query-client.ts';

const managementKey = 'management';

interface ReadOptions {
  /** Reads again after this time; left out: only when the page is shown again. */
  refetchMs?: number;
  /** False: does not read. */
  enabled?: boolean;
}

interface ObjectOptions extends ReadOptions {
  /** True: does not read again after it has got a response. */
  untilFound?: boolean;
}

/** Reads from the management API. */
export function useManagement<Name extends ReadName>(
  operation: Name,
  request: RequestOf<Name>,
  { enabled = true, refetchMs, untilFound = false }: ObjectOptions = {},
) {
  return useQuery({
    queryKey: [managementKey, operation, request],
    queryFn: ({ signal }) => readManagement(operation, request, signal),
    enabled,
    refetchInterval: ({ state }) => (untilFound && state.data !== undefined ? false : (refetchMs ?? false)),
  });
}

/** Operations that return a list in pages. */
export type ListName = {
  [Name in ReadName]: ResponseOf<Name> extends { data: unknown[]; next_cursor: string | null } ? Name : never;
}[ReadName];
export type ItemOf<Name extends ListName> = ResponseOf<Name>['data'][number];

/** Reads a list from the management API, page by page. @param request without `cursor` */
export function useManagementList<Name extends ListName>(
  operation: Name,
  request: RequestOf<Name> & { query?: object },
  { enabled = true, refetchMs }: ReadOptions = {},
) {
  return useInfiniteQuery({
    queryKey: [managementKey, operation, 'pages', request],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...request.query, ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await readManagement(operation, { ...request, query }, signal)).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  });
}

/** Reads everything from the management API again, after a change. */
export async function refreshManagement(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [managementKey] });
}
