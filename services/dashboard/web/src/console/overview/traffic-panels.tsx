import { Button, Group, SimpleGrid } from '@mantine/core';
import { IconChartBar, IconDownload, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { type BucketWidth, bucketLabel } from '../../charts/bucket-label.ts';
import { LazyBarsOverTime } from '../../charts/lazy-bars-over-time.tsx';
import { EntryTable } from '../../components/entry-table.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { countOf, formatCount, formatCountShort } from '../../format/format-count.ts';
import { formatUsd, formatUsdShort } from '../../format/format-usd.ts';
import { saveFile } from '../../format/save-file.ts';
import { describeBars } from '../../pages/usage/describe-bars.ts';
import classes from './overview.module.css';
import { seriesCsv } from './series-csv.ts';
import type { Overview } from './use-overview.ts';

interface TrafficPanelsProps {
  series: Overview['series'];
  width: BucketWidth;
}

const usd = (value: number) => formatUsd(value.toFixed(9));
const CHARTS = [
  {
    name: 'Requests',
    color: 'teal-6',
    isWhole: true,
    figureOf: ({ requests }: Overview['series'][number]) => requests,
    format: (value: number) => countOf(value, 'request'),
    formatAxis: formatCountShort,
  },
  {
    name: 'Errors',
    color: 'red-6',
    isWhole: true,
    figureOf: ({ errors }: Overview['series'][number]) => errors,
    format: (value: number) => countOf(value, 'error'),
    formatAxis: formatCountShort,
  },
  {
    name: 'Spend',
    color: 'brand-5',
    isWhole: false,
    figureOf: ({ cost_usd }: Overview['series'][number]) => Number(cost_usd),
    format: usd,
    formatAxis: formatUsdShort,
  },
];

/** Shows requests, errors and spend over time as three charts or one table, and as CSV. */
export function TrafficPanels({ series, width }: TrafficPanelsProps) {
  const [isTable, setTable] = useState(false);
  const per = width === 'day' ? 'Per day, in UTC' : `Per ${width}`;
  return (
    <>
      <Group justify="flex-end" gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={isTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show charts' : 'Show as table'}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile('overview.csv', 'text/csv', seriesCsv(series))}
        >
          CSV
        </Button>
      </Group>
      {isTable ? (
        <FoldingPanel name="operate-over-time" title="Over time" description={`${per}, the newest first`}>
          <SeriesTable series={series} width={width} />
        </FoldingPanel>
      ) : (
        <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md">
          {CHARTS.map(({ color, format, formatAxis, isWhole, name, figureOf }) => {
            const bars = series.map((bucket) => ({
              startMs: Date.parse(bucket.start),
              value: figureOf(bucket),
            }));
            return (
              <FoldingPanel
                key={name}
                name={`operate-${name.toLowerCase()}`}
                title={name}
                description={per}
                isFoldedOnPhone={name !== 'Errors'}
              >
                <LazyBarsOverTime
                  {...{ bars, format, formatAxis, isWhole, width }}
                  color={`var(--mantine-color-${color})`}
                  description={describeBars(name, bars, width, format)}
                />
              </FoldingPanel>
            );
          })}
        </SimpleGrid>
      )}
    </>
  );
}

function SeriesTable({ series, width }: TrafficPanelsProps) {
  return (
    <div className={classes.scroll}>
      <EntryTable
        caption="Requests, errors and spend over time"
        entries={series.toReversed()}
        idOf={({ start }) => start}
        columns={[
          {
            id: 'start',
            header: width === 'day' ? 'Day' : 'From',
            cell: ({ start }) => bucketLabel(Date.parse(start), width, true),
          },
          {
            id: 'requests',
            header: 'Requests',
            align: 'right',
            cell: ({ requests }) => formatCount(requests),
          },
          { id: 'errors', header: 'Errors', align: 'right', cell: ({ errors }) => formatCount(errors) },
          { id: 'spend', header: 'Spend', align: 'right', cell: ({ cost_usd }) => formatUsd(cost_usd) },
        ]}
      />
    </div>
  );
}
