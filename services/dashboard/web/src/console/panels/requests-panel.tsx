import { Badge } from '@mantine/core';
import { useManagement } from '../../api/use-management.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatUsd } from '../../format/format-usd.ts';

interface RequestOwner {
  account_id?: string;
  key_id?: string;
  end_users?: string[];
}

const SHOWN = 10;

/** Shows the latest requests. @param href of the page with all of them */
export function RequestsPanel({ owner, href }: { owner: RequestOwner; href: string }) {
  const receipts = useManagement(
    'listReceipts',
    { query: { ...owner, limit: SHOWN } },
    { refetchMs: 10_000 },
  );
  const listed = receipts.data?.body.data;
  return (
    <Panel title="Recent requests" actions={<TextLink to={href}>All requests</TextLink>}>
      <QueryState query={receipts} loading="Reading the requests" />
      {listed?.length === 0 && <Hint>No recent requests.</Hint>}
      {listed !== undefined && listed.length > 0 && (
        <EntryTable
          caption="Recent requests"
          entries={listed}
          idOf={({ id }) => id}
          columns={[
            {
              id: 'ended',
              header: 'Ended',
              cell: ({ ended_at, id }) => (
                <TextLink to={consolePaths.request(id)}>
                  <Moment ms={Date.parse(ended_at)} />
                </TextLink>
              ),
            },
            { id: 'model', header: 'Model', cell: ({ model }) => <Identifier id={model} /> },
            {
              id: 'status',
              header: 'Status',
              cell: ({ code, status }) => (
                <Badge color={status !== null && status < 400 ? 'green' : 'red'}>
                  {[status, code].filter((part) => part !== null).join(' ') || 'Unknown'}
                </Badge>
              ),
            },
            {
              id: 'end_user',
              header: 'End user',
              cell: ({ end_user }) => end_user ?? '–',
              isEmpty: ({ end_user }) => end_user == null,
            },
            { id: 'cost', header: 'Cost', align: 'right', cell: ({ cost_usd }) => formatUsd(cost_usd) },
            {
              id: 'charged',
              header: 'Charged',
              align: 'right',
              cell: ({ charged_usd, cost_usd }) => formatUsd(charged_usd ?? cost_usd),
            },
          ]}
        />
      )}
    </Panel>
  );
}
