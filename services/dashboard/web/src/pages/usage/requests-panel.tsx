import { Anchor, Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { RequestEntry } from '../../../../wire/requests.ts';
import type { UsageResponse } from '../../../../wire/usage.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import type { Period } from './period.ts';
import { useRequests } from './use-requests.ts';
import { useRequestsPerPage } from './use-requests-per-page.ts';
import type { UsageScope } from './use-usage-scope.ts';

interface RequestsPanelProps {
  scope: UsageScope;
  period: Period;
  usage: Pick<UsageResponse, 'byModel' | 'byKey'> | undefined;
}

/** Lists requests, the newest first, with links to their receipts. */
export function RequestsPanel({ scope, period, usage }: RequestsPanelProps) {
  const { seatId, model, keyId, label, value, page, change } = scope;
  // The tokens of the visited pages. Unknown if a link opened a later page.
  const [trail, setTrail] = useState<readonly string[]>([]);
  const index = page === undefined ? -1 : trail.indexOf(page);
  const isKnown = page === undefined || index >= 0;
  const limit = useRequestsPerPage();
  const { fromMs, toMs } = period;
  const requests = useRequests(
    { fromMs, toMs, seatId, model, keyId, label, value, limit, page },
    period.isLive,
  );
  const nextPage = requests.data?.nextPage ?? null;
  return (
    <FoldingPanel
      name="requests"
      isFoldedOnPhone
      title="Recent requests"
      description={
        'Open a request to see its receipt. Requests refused before they reached a provider are counted by ' +
        'the hour and have none. New requests appear within seconds.'
      }
      actions={
        <>
          <Filter
            label="Model"
            all="All models"
            value={model}
            options={usage?.byModel.map((entry) => ({ value: entry.model, label: entry.model }))}
            onChange={(value) => change({ model: value })}
          />
          <Filter
            label="Key"
            all="All keys"
            value={keyId}
            options={usage?.byKey.map(({ keyId: value, name }) => ({ value, label: name }))}
            onChange={(value) => change({ key: value })}
          />
        </>
      }
    >
      <QueryState query={requests} loading="Reading the requests" />
      {requests.data?.requests.length === 0 && (
        <Hint>
          {model === undefined && keyId === undefined
            ? 'No requests in this period.'
            : 'No requests with this model and key in this period.'}
        </Hint>
      )}
      {requests.data !== undefined && requests.data.requests.length > 0 && (
        <EntryTable
          caption="Recent requests"
          entries={requests.data.requests}
          idOf={({ requestId }) => requestId}
          columns={COLUMNS}
          cardsBelow="75em"
        />
      )}
      {(page !== undefined || nextPage !== null) && (
        <Group justify="space-between">
          <Button
            variant="default"
            size="xs"
            disabled={page === undefined}
            leftSection={<IconChevronLeft size={16} aria-hidden />}
            onClick={() => change({ page: trail[index - 1] })}
          >
            {isKnown ? 'Newer' : 'Newest'}
          </Button>
          <Text size="sm" c="dimmed" aria-live="polite">
            {isKnown ? `Page ${index + 2}` : 'Older ones'}
          </Text>
          <Button
            variant="default"
            size="xs"
            disabled={nextPage === null || requests.isPlaceholderData}
            rightSection={<IconChevronRight size={16} aria-hidden />}
            onClick={() => {
              if (nextPage === null) return;
              setTrail(isKnown ? [...trail.slice(0, index + 1), nextPage] : []);
              change({ page: nextPage });
            }}
          >
            Older
          </Button>
        </Group>
      )}
    </FoldingPanel>
  );
}

const COLUMNS: readonly [Column<RequestEntry>, ...Column<RequestEntry>[]] = [
  {
    id: 'time',
    header: 'Time',
    cell: ({ requestId, endedAtMs, refused }) =>
      refused === null ? (
        <Anchor component={Link} to={`/dashboard/usage/requests/${requestId}`} size="sm" fw={500}>
          <Moment form="recent" ms={endedAtMs} />
        </Anchor>
      ) : (
        <RefusedTimes firstAtMs={refused.firstAtMs} lastAtMs={endedAtMs} count={refused.count} />
      ),
  },
  {
    id: 'model',
    header: 'Model',
    cell: ({ model }) => (model === '' ? 'not known' : <Identifier id={model} />),
  },
  { id: 'key', header: 'Key', cell: ({ keyName }) => <span className="cell-name">{keyName}</span> },
  { id: 'status', header: 'Status', cell: (entry) => <OutcomeBadge entry={entry} /> },
  {
    id: 'latency',
    header: 'Latency',
    align: 'right',
    cell: ({ latencyMs, refused }) => (refused === null ? formatDuration(latencyMs) : '–'),
  },
  {
    id: 'first-token',
    header: 'First token',
    align: 'right',
    mayWrap: true,
    cell: ({ timeToFirstTokenMs: ms }) => (ms === null ? '–' : formatDuration(ms)),
  },
  {
    id: 'tokens',
    header: 'Tokens in / out',
    align: 'right',
    mayWrap: true,
    cell: ({ inputTokens, outputTokens, refused }) =>
      refused === null ? `${formatCount(inputTokens)} / ${formatCount(outputTokens)}` : '–',
  },
  { id: 'cost', header: 'Cost', align: 'right', cell: ({ costUsd }) => formatUsd(costUsd) },
];

/** Shows the times of the last and, if there were several, the first of equal refusals. */
function RefusedTimes({
  firstAtMs,
  lastAtMs,
  count,
}: {
  firstAtMs: number;
  lastAtMs: number;
  count: number;
}) {
  return (
    <Text span size="sm">
      {count > 1 && 'last '}
      <Moment form="recent" ms={lastAtMs} />
      {count > 1 && (
        <Text span size="xs" c="dimmed" display="block">
          since <Moment form="recent" ms={firstAtMs} />
        </Text>
      )}
    </Text>
  );
}

interface FilterProps {
  label: string;
  all: string;
  value: string | undefined;
  options: { value: string; label: string }[] | undefined;
  onChange: (value: string | undefined) => void;
}

function Filter({ label, all, value, options = [], onChange }: FilterProps) {
  // Keeps the current filter in the list, even if the period has no requests for it.
  const isListed = value === undefined || options.some((option) => option.value === value);
  return (
    <NativeSelect
      aria-label={label}
      size="xs"
      data={[{ value: '', label: all }, ...options, ...(isListed ? [] : [{ value, label: value }])]}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
