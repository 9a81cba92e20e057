import { Box, Button } from '@mantine/core';
import type { AuditEvent } from '../../../../wire/audit.ts';
import type { AuditEvent as ManagedEvent, RequestOf } from '../../../../wire/management.ts';
import { present } from '../../api/present.ts';
import { readList } from '../../api/read-list.ts';
import { useAction } from '../../api/use-action.ts';
import { useManagementList } from '../../api/use-management.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { saveFile } from '../../format/save-file.ts';
import { AuditFilters, auditFilterOf, peopleOf } from '../../pages/audit/audit-filters.tsx';
import { AuditLog } from '../../pages/audit/audit-log.tsx';
import { VerificationPanel } from '../verifications/verification-panel.tsx';

const PAGE_LENGTH = 50;
const MAX_EXPORTED = 10_000;

/** Shows who changed what in all accounts and in the installation, and checks that nobody changed the log. */
export function ConsoleAuditPage() {
  const [address, change] = useAddressQuery();
  const query = queryOf(address);
  const log = useManagementList('listAuditEvents', { query: { ...query, limit: PAGE_LENGTH } });
  const events = log.data?.pages.flatMap((page) => page.data.map(toEvent));
  const saving = useAction(async () => {
    const found = await readList('listAuditEvents', { query }, MAX_EXPORTED);
    const lines = found.map((event) => `${JSON.stringify(event)}\n`).join('');
    saveFile('audit-events.ndjson', 'application/x-ndjson', lines);
  });
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what in all accounts, and who signed in."
        actions={
          <Button
            variant="default"
            title={`The newest ${MAX_EXPORTED.toLocaleString('en-US')} at most`}
            loading={saving.isPending}
            onClick={() => saving.run()}
          >
            Export (NDJSON)
          </Button>
        }
      />
      <ErrorNotice error={saving.error} />
      <Box mb="md">
        <VerificationPanel kind="audit_log" />
      </Box>
      <AuditLog
        {...{ events, log }}
        filters={<AuditFilters {...{ address, change }} people={peopleOf(events)} isAll />}
        isFiltered={address.size > 0}
        withAccounts
      />
    </>
  );
}

function queryOf(address: URLSearchParams): NonNullable<RequestOf<'listAuditEvents'>['query']> {
  const { object, outcome, since, until, ...conditions } = auditFilterOf(address);
  return present({
    ...conditions,
    ...{ account_id: address.get('account') ?? undefined, object_id: object },
    outcome: outcome === 'done' || outcome === 'denied' ? outcome : undefined,
    ...{ since: since?.toISOString(), until: until?.toISOString() },
  });
}

function toEvent({ account_id, at, request_id, ...event }: ManagedEvent): AuditEvent {
  return { ...event, accountId: account_id, atMs: Date.parse(at), requestId: request_id };
}
