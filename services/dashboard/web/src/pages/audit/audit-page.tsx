import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditResponse } from '../../../../wire/audit.ts';
import { getJson, withQuery } from '../../api/client.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { useMay } from '../../session/use-may.ts';
import { useMembers } from '../members/use-members.ts';
import { AuditFilters, auditFilterOf, peopleOf } from './audit-filters.tsx';
import { AuditLog } from './audit-log.tsx';

const PATH = '/api/audit-events';

/** Shows who changed what in the account. */
export function AuditPage() {
  const [address, change] = useAddressQuery();
  const { since, until, ...conditions } = auditFilterOf(address);
  const filter = { ...conditions, sinceMs: since?.getTime(), untilMs: until?.getTime() };
  const log = useInfiniteQuery({
    queryKey: ['audit-events', filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<AuditResponse>(PATH, { ...filter, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const events = log.data?.pages.flatMap((page) => page.events);
  const members = useMembers(useMay('admin')).data;
  const memberEmails = [members?.ownerEmail, ...(members?.members ?? []).map(({ email }) => email)];
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what in this account, and who signed in."
        actions={
          <Button component="a" href={withQuery(`${PATH}.ndjson`, filter)} download variant="default">
            Export (NDJSON)
          </Button>
        }
      />
      <AuditLog
        {...{ events, log }}
        filters={<AuditFilters {...{ address, change }} people={peopleOf(events, memberEmails)} />}
        isFiltered={address.size > 0}
        withAccounts={false}
      />
    </>
  );
}
