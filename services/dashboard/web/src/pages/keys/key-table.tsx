import { Anchor, Code } from '@mantine/core';
import { Link } from 'react-router';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { ACTIONS, EntryTable } from '../../components/entry-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { formatCount } from '../../format/format-count.ts';
import { useMay } from '../../session/use-may.ts';
import { KeyStatus } from './key-status.tsx';

interface KeyTableProps {
  keys: readonly KeyEntry[];
  onRevoke: (key: KeyEntry) => void;
}

/** Lists keys. Revoked keys are dimmed; they and demo keys have no button. */
export function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const mayRevoke = useMay('developer');
  return (
    <EntryTable
      caption="Your API keys"
      entries={keys}
      idOf={({ id }) => id}
      isDimmed={({ revokedAtMs }) => revokedAtMs !== null}
      isFramed
      cardsBelow="74em"
      columns={[
        {
          id: 'name',
          header: 'Name',
          cell: ({ id, name }) => (
            <Anchor
              component={Link}
              to={`/dashboard/api-keys/${encodeURIComponent(id)}`}
              size="sm"
              fw={600}
              className="cell-name"
              lineClamp={2}
              title={name}
            >
              {name}
            </Anchor>
          ),
        },
        {
          id: 'key',
          header: 'Key',
          cell: ({ displayPrefix }) => (
            <Code fz="sm" className="no-wrap">
              {displayPrefix}…
            </Code>
          ),
        },
        {
          id: 'payer',
          header: 'Billed to',
          cell: ({ seat }) => <span className="cell-name">{seat?.teamName ?? 'Your account'}</span>,
        },
        { id: 'created', header: 'Created', cell: ({ createdAtMs }) => <Moment ms={createdAtMs} /> },
        {
          id: 'used',
          header: 'Last used',
          cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'Not yet' : <Moment ms={lastUsedAtMs} />),
        },
        {
          id: 'requests',
          header: 'Requests this month (UTC)',
          align: 'right',
          mayWrap: true,
          cell: ({ requestsThisMonth }) => formatCount(requestsThisMonth),
        },
        { id: 'status', header: 'Status', cell: (key) => <KeyStatus apiKey={key} /> },
        {
          ...ACTIONS,
          cell: (key) =>
            mayRevoke &&
            key.revokedAtMs === null &&
            key.kind !== 'demo' && (
              <RemovalButton label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
                Revoke
              </RemovalButton>
            ),
        },
      ]}
    />
  );
}
