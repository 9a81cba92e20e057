import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { Managed } from '../../api/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { consolePaths } from '../../console-paths.ts';
import { managedWebhooks } from '../../pages/webhooks/webhook-source.ts';
import { WebhooksPanel } from '../../pages/webhooks/webhooks-panel.tsx';
import { useMayChange } from '../../session/use-may-change.ts';
import { AuditPanel } from '../panels/audit-panel.tsx';
import { KeysPanel } from '../panels/keys-panel.tsx';
import { ManagedRules, useManagedRules } from '../panels/managed-rules.tsx';
import { GiveCreditDialog } from '../panels/pool-dialogs.tsx';
import { PoolsPanel } from '../panels/pools-panel.tsx';
import { RequestsPanel } from '../panels/requests-panel.tsx';
import { UsagePanel } from '../panels/usage-panel.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountFacts } from './account-facts.tsx';
import { EndUsersPanel } from './end-users-panel.tsx';
import { MembersPanel } from './members-panel.tsx';
import { BudgetDialog, ModelsDialog } from './quick-dialogs.tsx';
import { TeamsPanel } from './teams-panel.tsx';

/** Shows everything about one account. */
export function AccountPage() {
  const { accountId = '' } = useParams();
  const account = useManagement('getAccount', { path: { id: accountId } });
  return (
    <>
      <BackLink to="/operate/accounts">Accounts</BackLink>
      {account.data === undefined && <PageHeader title="Account" />}
      <QueryState query={account} loading="Reading the account" />
      {account.data !== undefined && <AccountDetails key={accountId} managed={account.data} />}
    </>
  );
}

interface Result {
  text: string;
  isConfirmed: boolean;
}

function AccountDetails({ managed }: { managed: Managed<'getAccount'> }) {
  const { deleted_at, email, id, name } = managed.body;
  const [result, setResult] = useState<Result>();
  const show = (text: string, isConfirmed: boolean) => setResult({ text, isConfirmed });
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        title={name}
        description={<Identifier id={email} />}
        actions={<AccountActions account={managed.body} onDone={show} />}
      />
      <Stack gap="lg">
        {deleted_at === null && <QuickActions accountId={id} onDone={show} />}
        {result !== undefined && (
          <ResultAlert key={result.text} isCertain={result.isConfirmed}>
            {result.text}
            {result.isConfirmed ||
              ' Some data planes have not confirmed it. They follow once they reach a control plane.'}
          </ResultAlert>
        )}
        <AccountFacts managed={managed} onDone={show} />
        {deleted_at === null && (
          <>
            <PoolsPanel owner={{ account_id: id }} none="No pool: paid requests are refused. Give credit." />
            <ManagedRules
              owner={{ kind: 'account', id }}
              editTitle={`Rules of ${name}`}
              noBudgets="No budget: the account can spend all that its pools have."
            />
            <KeysPanel owner={{ account_id: id }} />
            <TeamsPanel accountId={id} />
            <MembersPanel accountId={id} />
            <EndUsersPanel accountId={id} />
            <WebhooksPanel
              source={managedWebhooks(id)}
              title="Webhooks"
              description="URLs that get the events of this account."
              mayChange={mayChange}
            />
          </>
        )}
        <UsagePanel owner={{ account_id: id }} />
        <RequestsPanel owner={{ account_id: id }} href={consolePaths.requests({ account_id: id })} />
        <AuditPanel query={{ account_id: id }} />
      </Stack>
    </>
  );
}

interface QuickActionsProps {
  accountId: string;
  onDone: (text: string, isConfirmed: boolean) => void;
}

/** The three steps of a new customer: money, a budget, and models. */
function QuickActions({ accountId, onDone }: QuickActionsProps) {
  const mayChange = useMayChange();
  const { query, save } = useManagedRules({ kind: 'account', id: accountId });
  const [open, setOpen] = useState<'credit' | 'budget' | 'models'>();
  const report = query.data?.report;
  const close = () => setOpen(undefined);
  const finish = (text: string, isConfirmed = true) => {
    close();
    onDone(text, isConfirmed);
  };
  if (!mayChange) return null;
  const dialog = { save, onClose: close, onDone: finish };
  return (
    <Group gap="sm">
      <Button onClick={() => setOpen('credit')}>Give credit</Button>
      <Button variant="default" disabled={report === undefined} onClick={() => setOpen('budget')}>
        Set a budget
      </Button>
      <Button variant="default" disabled={report === undefined} onClick={() => setOpen('models')}>
        Set the models
      </Button>
      {open === 'credit' && (
        <GiveCreditDialog owner={{ account_id: accountId }} onClose={close} onDone={finish} />
      )}
      {open === 'budget' && report !== undefined && <BudgetDialog {...dialog} report={report} />}
      {open === 'models' && report !== undefined && <ModelsDialog {...dialog} report={report} />}
    </Group>
  );
}
