import { Button, Group, SimpleGrid, Stack, Table } from '@mantine/core';
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { type BucketWidth, bucketLabel } from '../../charts/bucket-label.ts';
import { LazyBarsOverTime } from '../../charts/lazy-bars-over-time.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { csvText } from '../../format/csv-text.ts';
import { countOf, formatCount, formatCountShort } from '../../format/format-count.ts';
import { formatUtc } from '../../format/format-time.ts';
import { formatUsd, formatUsdShort } from '../../format/format-usd.ts';
import { saveFile } from '../../format/save-file.ts';
import { describeBars } from './describe-bars.ts';
import classes from './usage.module.css';

interface Bucket {
  startMs: number;
  requests: number;
  /** Left out: failed requests are not counted. */
  errors?: number;
  /** What is charged. */
  costUsd: string;
  /** For operators; left out: the reader sees only what is charged. */
  operatorMoney?: { costUsd: string; marginUsd: string };
}

interface UsageOverTimeProps {
  buckets: readonly Bucket[];
  width: BucketWidth;
  /** Name of the CSV file that a button saves; left out: no button. */
  csvName?: string;
}

const usd = (value: number) => formatUsd(value.toFixed(9));
const CHARTS = [
  {
    title: 'Spend',
    color: 'brand-5',
    isWhole: false,
    figureOf: ({ costUsd }: Bucket) => Number(costUsd),
    format: usd,
    formatAxis: formatUsdShort,
  },
  {
    title: 'Requests',
    color: 'teal-6',
    isWhole: true,
    figureOf: ({ requests }: Bucket) => requests,
    format: (value: number) => countOf(value, 'request'),
    formatAxis: formatCountShort,
  },
  {
    title: 'Errors',
    color: 'red-6',
    isWhole: true,
    figureOf: ({ errors = 0 }: Bucket) => errors,
    format: (value: number) => countOf(value, 'error'),
    formatAxis: formatCountShort,
  },
];

/** Shows spend, requests and errors as charts or as one table, and saves them as CSV. */
export function UsageOverTime({ buckets, csvName, width }: UsageOverTimeProps) {
  const [isTable, setTable] = useState(false);
  const hasErrors = buckets.some(({ errors }) => errors !== undefined);
  const charts = CHARTS.filter(({ title }) => hasErrors || title !== 'Errors');
  const per = width === 'day' ? 'Per day, in UTC' : `Per ${width}`;
  return (
    <Stack gap="md">
      <Group justify="flex-end" gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={isTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show charts' : 'Show as table'}
        </Button>
        {csvName !== undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(csvName, 'text/csv', bucketsCsv(buckets, hasErrors))}
          >
            CSV
          </Button>
        )}
      </Group>
      {isTable ? (
        <FoldingPanel name="over-time" title="Over time" description={`${per}, the newest first`}>
          <BucketTable {...{ buckets, hasErrors, width }} />
        </FoldingPanel>
      ) : (
        <SimpleGrid cols={{ base: 1, lg: charts.length }} spacing="md">
          {charts.map(({ color, title, figureOf, ...chart }) => {
            const bars = buckets.map((bucket) => ({ startMs: bucket.startMs, value: figureOf(bucket) }));
            return (
              <FoldingPanel
                key={title}
                name={`${title.toLowerCase()}-over-time`}
                title={title}
                description={per}
                isFoldedOnPhone={hasErrors && title !== 'Errors'}
              >
                <LazyBarsOverTime
                  {...{ ...chart, bars, width }}
                  color={`var(--mantine-color-${color})`}
                  description={describeBars(title, bars, width, chart.format)}
                />
              </FoldingPanel>
            );
          })}
        </SimpleGrid>
      )}
    </Stack>
  );
}

/** Writes the oldest first; times are the starts of buckets in UTC. */
function bucketsCsv(buckets: readonly Bucket[], hasErrors: boolean): string {
  const errorsOf = (cell: string | number) => (hasErrors ? [cell] : []);
  const hasMargin = buckets.some(({ operatorMoney }) => operatorMoney !== undefined);
  return csvText([
    [
      'start',
      'requests',
      ...errorsOf('errors'),
      'cost_usd',
      ...(hasMargin ? ['charged_usd', 'margin_usd'] : []),
    ],
    ...buckets.map(({ costUsd, errors = 0, operatorMoney: of, requests, startMs }) => [
      ...[new Date(startMs).toISOString(), requests, ...errorsOf(errors)],
      ...(of === undefined ? [costUsd] : [of.costUsd, costUsd, of.marginUsd]),
    ]),
  ]);
}

interface BucketTableProps extends UsageOverTimeProps {
  hasErrors: boolean;
}

function BucketTable({ buckets, hasErrors, width }: BucketTableProps) {
  return (
    // Focusable, so that the arrow keys scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={classes.scroll} tabIndex={0} aria-label="Usage over time">
      <Table stickyHeader verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{width === 'day' ? 'Day' : 'From'}</Table.Th>
            <Table.Th scope="col" ta="right">
              Requests
            </Table.Th>
            {hasErrors && (
              <Table.Th scope="col" ta="right">
                Errors
              </Table.Th>
            )}
            <Table.Th scope="col" ta="right">
              Spend
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.toReversed().map(({ startMs, requests, errors, costUsd }) => (
            <Table.Tr key={startMs}>
              <Table.Th scope="row" fw={400} title={formatUtc(startMs)}>
                {bucketLabel(startMs, width, true)}
              </Table.Th>
              <Table.Td ta="right">{formatCount(requests)}</Table.Td>
              {hasErrors && <Table.Td ta="right">{formatCount(errors ?? 0)}</Table.Td>}
              <Table.Td ta="right">{formatUsd(costUsd)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
