import { Stack, Text } from '@mantine/core';
import type { StatusResponse } from '../../../../wire/status.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { formatCount, formatShare } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { describeWaiting } from './describe-waiting.ts';
import { StatusMark } from './status-mark.tsx';

type ModelStatus = NonNullable<StatusResponse['models']>['data'][number];

/** Shows the success rate, latency and requests of each model. A dash stands for no data. */
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
          cell: ({ id, state, configuration, sentence, waiting }) => (
            <Stack gap={2}>
              <Text span size="sm" fw={500}>
                <Identifier id={id} />
              </Text>
              <StatusMark state={state} configuration={configuration} />
              {sentence !== null && <Dimmed>{sentence}</Dimmed>}
              {waiting !== null && <Dimmed>{describeWaiting(waiting)}</Dimmed>}
            </Stack>
          ),
        },
        {
          id: 'success-5m',
          header: 'Success 5 min',
          align: 'right',
          isEmpty: ({ success_5m, gave_up_5m }) => success_5m === null && !gave_up_5m,
          cell: ({ success_5m, gave_up_5m }) =>
            success_5m === null && gave_up_5m !== null && gave_up_5m > 0 ? (
              <Dimmed>no answers</Dimmed>
            ) : (
              share(success_5m)
            ),
        },
        shareColumn('success-1h', 'Success 1 h', ({ success_1h }) => success_1h),
        shareColumn('success-24h', 'Success 24 h', ({ success_24h }) => success_24h),
        shareColumn('errors', 'Errors', ({ error_rate_5m }) => error_rate_5m),
        {
          id: 'latency',
          header: 'Latency p50 / p95',
          align: 'right',
          isEmpty: ({ latency_ms }) => isUnmeasured(latency_ms),
          cell: (model) => spread(model.latency_ms),
        },
        {
          id: 'first-token',
          header: 'First token p50 / p95',
          align: 'right',
          isEmpty: ({ time_to_first_token_ms }) => isUnmeasured(time_to_first_token_ms),
          cell: ({ time_to_first_token_ms: spent, requests_5m: requests }) =>
            // Only streams have a time to the first token.
            spent === null && requests !== null && requests > 0 ? <Dimmed>no streams</Dimmed> : spread(spent),
        },
        {
          id: 'requests',
          header: 'Requests',
          align: 'right',
          cell: ({ requests_5m: requests, gave_up_5m: gaveUp }) =>
            requests === null ? (
              <Dimmed>not known</Dimmed>
            ) : (
              <>
                {formatCount(requests)}
                {gaveUp !== null && gaveUp > 0 && <Dimmed>{` (${formatCount(gaveUp)} gave up)`}</Dimmed>}
              </>
            ),
        },
      ]}
    />
  );
}

function shareColumn(
  id: string,
  header: string,
  select: (model: ModelStatus) => number | null,
): Column<ModelStatus> {
  return {
    id,
    header,
    align: 'right',
    isEmpty: (model) => select(model) === null,
    cell: (model) => share(select(model)),
  };
}

type Spread = { p50: number | null; p95: number | null };

function isUnmeasured(value: Spread | null): boolean {
  return value === null || value.p50 === null || value.p95 === null;
}

function share(value: number | null) {
  return value === null ? <Dimmed>–</Dimmed> : formatShare(value);
}

function spread(value: Spread | null) {
  if (value === null || value.p50 === null || value.p95 === null) return <Dimmed>–</Dimmed>;
  return `${formatDuration(value.p50)} / ${formatDuration(value.p95)}`;
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {children}
    </Text>
  );
}
