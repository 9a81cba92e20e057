import { Stack, Text } from '@mantine/core';
import type { StatusAnswer } from '../../../../wire/status.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { formatCount, formatShare } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { StatusMark } from './status-mark.tsx';
import { waitingText } from './waiting-text.ts';

type ModelStatus = NonNullable<StatusAnswer['models']>['data'][number];

/** How each model did lately. What was not measured is said to be without traffic, never made up. */
export function ModelFigures({ models }: { models: readonly ModelStatus[] }) {
  return (
    <EntryTable
      caption="Models"
      entries={models}
      idOf={({ id }) => id}
      cardsBelow="62em"
      columns={[
        {
          id: 'model',
          header: 'Model',
          cell: ({ id, status, configuration, waiting }) => (
            <Stack gap={2}>
              <Text span size="sm" fw={500} className="break-anywhere">
                {id}
              </Text>
              <StatusMark status={status} configuration={configuration} />
              {waiting !== null && <Unknown>{waitingText(waiting)}</Unknown>}
            </Stack>
          ),
        },
        { id: 'uptime-5m', header: 'Uptime 5 min', align: 'right', cell: (model) => share(model.uptime_5m) },
        { id: 'uptime-1h', header: 'Uptime 1 h', align: 'right', cell: (model) => share(model.uptime_1h) },
        { id: 'uptime-24h', header: 'Uptime 24 h', align: 'right', cell: (model) => share(model.uptime_24h) },
        { id: 'errors', header: 'Errors', align: 'right', cell: (model) => share(model.error_rate_5m) },
        {
          id: 'latency',
          header: 'Latency p50 / p95',
          align: 'right',
          cell: (model) => spread(model.latency_ms),
        },
        {
          id: 'first-token',
          header: 'First token p50 / p95',
          align: 'right',
          cell: ({ time_to_first_token_ms: spent, requests_5m: requests }) =>
            // Only streams have one.
            spent === null && requests !== null && requests > 0 ? (
              <Unknown>no streams</Unknown>
            ) : (
              spread(spent)
            ),
        },
        {
          id: 'requests',
          header: 'Requests',
          align: 'right',
          cell: ({ requests_5m: requests }) =>
            requests === null ? <Unknown>not known</Unknown> : formatCount(requests),
        },
      ]}
    />
  );
}

function share(value: number | null) {
  return value === null ? <Unknown>no traffic</Unknown> : formatShare(value);
}

function spread(value: { p50: number | null; p95: number | null } | null) {
  if (value === null || value.p50 === null || value.p95 === null) return <Unknown>no traffic</Unknown>;
  return `${formatDuration(value.p50)} / ${formatDuration(value.p95)}`;
}

function Unknown({ children }: { children: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {children}
    </Text>
  );
}
