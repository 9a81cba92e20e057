import { useManagement } from '../../api/use-management.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';
import type { Period } from './use-overview.ts';

const REFRESH_MS = 60_000;

/** Shows the accounts that spent most, with links to them and to their requests. */
export function TopAccountsPanel({ period }: { period: Period }) {
  const accounts = useManagement('listTopAccounts', { query: { period } }, { refetchMs: REFRESH_MS });
  const rows = accounts.data?.body.data;
  return (
    <Panel title="Accounts by spend" description="The ten that spent most. Open one to see its end users.">
      <QueryState query={accounts} loading="Reading the spend of accounts" />
      {rows?.length === 0 && <Hint>No account had requests in this period. Choose a longer one.</Hint>}
      {rows !== undefined && rows.length > 0 && (
        <EntryTable
          caption="Accounts by spend"
          entries={rows}
          idOf={({ account }) => account.id}
          columns={[
            {
              id: 'name',
              header: 'Account',
              cell: ({ account: { email, id, name } }) => (
                <NameCell detail={email}>
                  <TextLink to={consolePaths.account(id)}>{name}</TextLink>
                </NameCell>
              ),
            },
            {
              id: 'requests',
              header: 'Requests',
              align: 'right',
              cell: ({ account: { id }, requests }) => (
                <TextLink to={consolePaths.requests({ account_id: id, last: period })}>
                  {formatCount(requests)}
                </TextLink>
              ),
            },
            {
              id: 'charged',
              header: 'Charged',
              align: 'right',
              cell: ({ charged_usd }) => formatUsd(charged_usd),
            },
            { id: 'cost', header: 'Cost', align: 'right', cell: ({ cost_usd }) => formatUsd(cost_usd) },
            {
              id: 'margin',
              header: 'Margin',
              align: 'right',
              cell: ({ margin_usd }) => formatUsd(margin_usd),
            },
          ]}
        />
      )}
    </Panel>
  );
}
