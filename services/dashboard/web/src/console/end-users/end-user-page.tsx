import { Button, SimpleGrid, Stack } from '@mantine/core';
import { IconUserOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { ApiError } from '../../api/client.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagement } from '../../api/use-management.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { ManagedRules } from '../panels/managed-rules.tsx';
import { RequestsPanel } from '../panels/requests-panel.tsx';
import { UsagePanel } from '../panels/usage-panel.tsx';

/** Shows everything about one end user of an account. */
export function EndUserPage() {
  const [address] = useSearchParams();
  const id = address.get('id') ?? '';
  const accountId = address.get('account_id') ?? '';
  if (id !== '' && accountId !== '')
    return <EndUserDetails key={`${accountId} ${id}`} {...{ accountId, id }} />;
  return (
    <>
      <PageHeader title="End user" />
      <EmptyState icon={<IconUserOff size={28} />} title="No end user is chosen">
        Open one from the page of its account.
      </EmptyState>
    </>
  );
}

function EndUserDetails({ accountId, id }: { accountId: string; id: string }) {
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const path = { id };
  const query = { account_id: accountId };
  // An end user that only requests have named is not stored.
  const stored = useManagement('getEndUser', { path, query });
  const isUnknown = stored.error instanceof ApiError && stored.error.status === 404;
  const [toDelete, setToDelete] = useState<string | null>(null);
  const remove = useAction(async (_id: string) => {
    await changeManagement('deleteEndUser', { path, query });
    await navigate(consolePaths.account(accountId));
    await refreshManagement();
  });
  return (
    <>
      <BackLink to={consolePaths.account(accountId)}>Account</BackLink>
      <PageHeader
        title={id}
        description="End user"
        actions={
          mayChange && (
            <Button variant="default" color="red" onClick={() => setToDelete(id)}>
              Delete data
            </Button>
          )
        }
      />
      <Stack gap="lg">
        {!isUnknown && <QueryState query={stored} loading="Reading the end user" />}
        <Panel title="About this end user">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
            <Fact label="Account">
              <AccountLink id={accountId} />
            </Fact>
            <Fact label="External id">{stored.data?.body.external_id ?? 'None'}</Fact>
            <Fact label="Rules">
              {stored.data?.body.has_rules ? 'Its own' : 'Those of every end user of the account'}
            </Fact>
          </SimpleGrid>
        </Panel>
        <ManagedRules
          owner={{ kind: 'end_user', id, accountId }}
          editTitle={`Rules of ${id}`}
          noBudgets="No budget of its own."
        />
        <UsagePanel owner={{ account_id: accountId, end_users: [id] }} />
        <RequestsPanel
          owner={{ account_id: accountId, end_users: [id] }}
          href={consolePaths.requests({ account_id: accountId, end_user: id })}
        />
      </Stack>
      <ConfirmDialog
        subject={toDelete}
        title="Delete the data of this end user?"
        confirmLabel="Delete data"
        action={remove}
        onClose={() => setToDelete(null)}
      >
        {(shown) =>
          `The rules of ${shown}, what its budgets have counted, and its id on records are deleted. Sums and ` +
          'amounts stay. This is final.'
        }
      </ConfirmDialog>
    </>
  );
}
