import { Button, SimpleGrid, Table } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { type BucketWidth, bucketLabel } from '../../charts/bucket-label.ts';
import { LazyBarsOverTime } from '../../charts/lazy-bars-over-time.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { countOf, formatCount, formatCountShort } from '../../format/format-count.ts';
import { formatUsd, formatUsdShort } from '../../format/format-usd.ts';
import { describeBars } from './describe-bars.ts';
import classes from './usage.module.css';

interface UsageOverTimeProps {
  buckets: readonly { startMs: number; requests: number; costUsd: string }[];
  width: BucketWidth;
}

/** Shows spend and requests as two charts or one table. */
export function UsageOverTime({ buckets, width }: UsageOverTimeProps) {
  const [isTable, setTable] = useState(false);
  const toggle = (
    <Button
      size="xs"
      variant="default"
      leftSection={isTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
      onClick={() => setTable(!isTable)}
    >
      {isTable ? 'Show charts' : 'Show as table'}
    </Button>
  );
  const per = width === 'day' ? 'Per day, in UTC' : `Per ${width}`;
  if (isTable) {
    return (
      <FoldingPanel
        name="over-time"
        title="Over time"
        description={`${per}, the newest first`}
        actions={toggle}
      >
        <BucketTable buckets={buckets} width={width} />
      </FoldingPanel>
    );
  }
  const spend = buckets.map(({ startMs, costUsd }) => ({ startMs, value: Number(costUsd) }));
  const requests = buckets.map(({ startMs, requests: value }) => ({ startMs, value }));
  const usd = (value: number) => formatUsd(value.toFixed(9));
  const count = (value: number) => countOf(value, 'request');
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <FoldingPanel name="spend" title="Spend" description={per}>
        <LazyBarsOverTime
          bars={spend}
          width={width}
          color="var(--mantine-color-brand-5)"
          format={usd}
          formatAxis={formatUsdShort}
          description={describeBars('Spend', spend, width, usd)}
        />
      </FoldingPanel>
      <FoldingPanel name="request-counts" title="Requests" description={per} actions={toggle}>
        <LazyBarsOverTime
          bars={requests}
          width={width}
          color="var(--mantine-color-teal-6)"
          format={count}
          formatAxis={formatCountShort}
          description={describeBars('Requests', requests, width, count)}
          isWhole
        />
      </FoldingPanel>
    </SimpleGrid>
  );
}

function BucketTable({ buckets, width }: UsageOverTimeProps) {
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
            <Table.Th scope="col" ta="right">
              Spend
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.toReversed().map(({ startMs, requests, costUsd }) => (
            <Table.Tr key={startMs}>
              <Table.Th scope="row" fw={400}>
                {bucketLabel(startMs, width, true)}
              </Table.Th>
              <Table.Td ta="right">{formatCount(requests)}</Table.Td>
              <Table.Td ta="right">{formatUsd(costUsd)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
