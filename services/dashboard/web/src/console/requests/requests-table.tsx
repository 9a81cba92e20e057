import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { ReceiptSummary, RefusedRequests } from '../../../../wire/management.ts';
import type { Column } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { LongTable } from '../../components/long-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { OutcomeBadge } from '../../pages/usage/outcome-badge.tsx';

interface Owned {
  account_id: string;
  account_email: string | null;
  key_id: string;
  key_name: string | null;
}

export function RequestsTable({ requests }: { requests: readonly ReceiptSummary[] }) {
  return (
    <LongTable
      caption="Requests"
      entries={requests}
      idOf={({ id }) => id}
      columns={COLUMNS}
      cardsBelow="85em"
      isFramed
    />
  );
}

const COLUMNS: readonly [Column<ReceiptSummary>, ...Column<ReceiptSummary>[]] = [
  {
    id: 'time',
    header: 'Ended',
    cell: ({ ended_at, id }) => (
      <Anchor component={Link} to={consolePaths.request(id)} size="sm" fw={500}>
        <Moment form="recent" ms={Date.parse(ended_at)} />
      </Anchor>
    ),
  },
  ...ownerColumns<ReceiptSummary>(),
  {
    id: 'model',
    header: 'Model',
    cell: ({ model, provider }) => (
      <>
        <TextLink to={consolePaths.model(model)}>{model}</TextLink>
        {provider !== null && (
          <>
            {' by '}
            <TextLink to={consolePaths.provider(provider)}>{provider}</TextLink>
          </>
        )}
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ billing_reason, code, status }) => (
      <OutcomeBadge
        entry={{ outcome: OUTCOMES[billing_reason], status, errorCode: code, refused: null }}
        disconnected="caller had disconnected"
      />
    ),
  },
  {
    id: 'duration',
    header: 'Duration',
    align: 'right',
    cell: ({ duration_ms }) => <span className="no-wrap">{formatDuration(duration_ms)}</span>,
  },
  {
    id: 'first-token',
    header: 'First token',
    align: 'right',
    cell: ({ time_to_first_token_ms: ms }) => (ms === null ? '–' : formatDuration(ms)),
  },
  {
    id: 'tokens',
    header: 'Tokens in / out',
    align: 'right',
    mayWrap: true,
    cell: ({ units }) => `${formatCount(units.input_tokens)} / ${formatCount(units.output_tokens)}`,
  },
  {
    id: 'cost',
    header: 'Cost / charged',
    align: 'right',
    mayWrap: true,
    cell: ({ charged_usd, cost_usd }) => `${formatUsd(cost_usd)} / ${formatUsd(charged_usd ?? cost_usd)}`,
  },
];

const OUTCOMES = {
  completed: 'completed',
  estimated: 'completed',
  cache_hit: 'completed',
  aborted_partial: 'interrupted',
  upstream_failed_free: 'failed',
} as const;

export function RefusedTable({ refused }: { refused: readonly RefusedRequests[] }) {
  return (
    <LongTable
      caption="Refused requests"
      entries={refused}
      idOf={({ id }) => id}
      columns={REFUSED_COLUMNS}
      cardsBelow="85em"
      isFramed
    />
  );
}

const REFUSED_COLUMNS: readonly [Column<RefusedRequests>, ...Column<RefusedRequests>[]] = [
  { id: 'last', header: 'Last', cell: ({ last_at }) => <Moment form="recent" ms={Date.parse(last_at)} /> },
  ...ownerColumns<RefusedRequests>(),
  {
    id: 'model',
    header: 'Model',
    cell: ({ model }) =>
      model === null ? 'not known' : <TextLink to={consolePaths.model(model)}>{model}</TextLink>,
  },
  { id: 'status', header: 'Status', cell: ({ code, status }) => `${status} ${code}` },
  { id: 'count', header: 'Requests', align: 'right', cell: ({ count }) => formatCount(count) },
  {
    id: 'first',
    header: 'First',
    cell: ({ first_at }) => <Moment form="recent" ms={Date.parse(first_at)} />,
  },
];

function ownerColumns<Entry extends Owned>(): Column<Entry>[] {
  return [
    {
      id: 'account',
      header: 'Account',
      cell: ({ account_email, account_id }) => (
        <TextLink to={consolePaths.account(account_id)}>{account_email ?? account_id}</TextLink>
      ),
    },
    {
      id: 'key',
      header: 'Key',
      cell: ({ key_id, key_name }) =>
        key_name === null ? (
          <Identifier id={key_id} />
        ) : (
          <TextLink to={consolePaths.key(key_id)}>{key_name}</TextLink>
        ),
    },
  ];
}
