import { Badge } from '@mantine/core';
import { Hint } from '../../components/hint.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';

/** Lists the end users of an account, with what each has spent. */
export function EndUsersPanel({ accountId }: { accountId: string }) {
  return (
    <Panel title="End users" description="The people behind the requests of this account, by their ids.">
      <ManagedTable
        operation="listEndUsers"
        request={{ query: { account_id: accountId, limit: 20 } }}
        caption="End users"
        idOf={({ id }) => id}
        columns={[
          {
            id: 'id',
            header: 'Id',
            width: '40%',
            cell: ({ id }) => <TextLink to={consolePaths.endUser(accountId, id)}>{id}</TextLink>,
          },
          {
            id: 'requests',
            header: 'Requests this month',
            align: 'right',
            cell: (each) => formatCount(each.requests_this_month),
          },
          {
            id: 'spend',
            header: 'Spend this month',
            align: 'right',
            cell: (each) => formatUsd(each.spent_this_month_usd),
          },
          {
            id: 'rules',
            header: 'Rules',
            cell: (each) => (each.has_rules ? <Badge>Own rules</Badge> : 'Those of every end user'),
          },
        ]}
        empty={<Hint>No request of this account has named an end user this month.</Hint>}
      />
    </Panel>
  );
}
