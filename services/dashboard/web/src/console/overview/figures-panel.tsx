import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { EntryTable } from '../../components/entry-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount, formatShare } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { type Change, describeChange } from './describe-change.ts';
import { type Sort, sortFigures } from './sort-figures.ts';
import type { Figures, FiguresRow, Period } from './use-overview.ts';

interface FiguresPanelProps {
  subject: 'provider' | 'model';
  rows: readonly FiguresRow[];
  sort: Sort;
  period: Period;
}

const SHOWN_AT_FIRST = 10;

/** Shows the figures of each provider or model, with links to its page and to its failed requests. */
export function FiguresPanel({ period, rows, sort, subject }: FiguresPanelProps) {
  const [isWhole, setWhole] = useState(false);
  const sorted = sortFigures(rows, sort);
  return (
    <Panel title={subject === 'provider' ? 'By provider' : 'By model'}>
      {sorted.length === 0 && (
        <Text size="sm" c="dimmed">
          No {subject} had requests in this period. Choose a longer one.
        </Text>
      )}
      {sorted.length > 0 && (
        <Stack gap="sm">
          <EntryTable
            caption={subject === 'provider' ? 'Figures by provider' : 'Figures by model'}
            entries={isWhole ? sorted : sorted.slice(0, SHOWN_AT_FIRST)}
            idOf={({ id }) => id}
            cardsBelow="62em"
            columns={[
              {
                id: 'id',
                header: subject === 'provider' ? 'Provider' : 'Model',
                cell: ({ id }) => <TextLink to={consolePaths[subject](id)}>{id}</TextLink>,
              },
              {
                id: 'requests',
                header: 'Requests',
                align: 'right',
                cell: ({ id, now, previous }) => (
                  <Compared
                    value={
                      <TextLink to={consolePaths.requests({ [subject]: id, last: period })}>
                        {formatCount(now.requests)}
                      </TextLink>
                    }
                    change={describeChange(now.requests, previous?.requests)}
                  />
                ),
              },
              {
                id: 'errors',
                header: 'Errors',
                align: 'right',
                cell: ({ id, now, previous }) => (
                  <Compared
                    value={<ErrorsLink {...{ subject, id, now, period }} />}
                    change={describeChange(now.error_rate, previous?.error_rate, 'less')}
                  />
                ),
              },
              {
                id: 'charged',
                header: 'Charged',
                align: 'right',
                cell: ({ now, previous }) => (
                  <Compared
                    value={formatUsd(now.charged_usd)}
                    change={describeChange(Number(now.charged_usd), previous && Number(previous.charged_usd))}
                  />
                ),
              },
              {
                id: 'cost',
                header: 'Cost / margin',
                align: 'right',
                cell: ({ now }) => `${formatUsd(now.cost_usd)} / ${formatUsd(now.margin_usd)}`,
              },
              {
                id: 'latency',
                header: 'Latency p50 / p95',
                align: 'right',
                cell: ({ now, previous }) => (
                  <Compared
                    value={timesOf(now.latency_ms)}
                    change={describeChange(now.latency_ms?.p50, previous?.latency_ms?.p50, 'less')}
                  />
                ),
              },
              {
                id: 'first-token',
                header: 'First token p50 / p95',
                align: 'right',
                cell: ({ now }) => timesOf(now.time_to_first_token_ms),
                isEmpty: ({ now }) => now.time_to_first_token_ms === null,
              },
            ]}
          />
          {sorted.length > SHOWN_AT_FIRST && (
            <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
              {isWhole ? 'Show fewer' : `Show all ${sorted.length}`}
            </Button>
          )}
        </Stack>
      )}
    </Panel>
  );
}

interface ErrorsLinkProps {
  subject: 'provider' | 'model';
  id: string;
  now: Figures;
  period: Period;
}

function ErrorsLink({ id, now, period, subject }: ErrorsLinkProps) {
  if (now.error_rate === null || now.errors === 0) return now.error_rate === null ? 'None yet' : '0%';
  return (
    <TextLink to={consolePaths.requests({ [subject]: id, status: '5xx', last: period })}>
      {formatShare(now.error_rate)} ({formatCount(now.errors)})
    </TextLink>
  );
}

function Compared({ change, value }: { change: Change | undefined; value: ReactNode }) {
  return (
    <>
      {value}
      {change !== undefined && (
        <Text size="xs" c={change.isGood === false ? 'red' : 'dimmed'}>
          {change.text}
        </Text>
      )}
    </>
  );
}

function timesOf(times: Figures['latency_ms']): string {
  return times === null ? 'None yet' : `${formatDuration(times.p50)} / ${formatDuration(times.p95)}`;
}
