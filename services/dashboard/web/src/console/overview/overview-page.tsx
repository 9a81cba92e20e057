import { Group, NativeSelect, SegmentedControl, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { preloadCharts } from '../../charts/lazy-bars-over-time.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { UsageOverTime } from '../../pages/usage/usage-over-time.tsx';
import { AttentionPanel } from './attention-panel.tsx';
import { FiguresPanel } from './figures-panel.tsx';
import { HeadlineFigures } from './headline-figures.tsx';
import { isSort, SORTS } from './sort-figures.ts';
import { TopAccountsPanel } from './top-accounts-panel.tsx';
import { PERIODS, useOverview } from './use-overview.ts';

const PERIOD_OPTIONS = Object.entries(PERIODS).map(([value, { name }]) => ({ value, label: name }));
const SORT_OPTIONS = Object.entries(SORTS).map(([value, label]) => ({ value, label }));

/** Shows what needs attention and the figures of all accounts, now and against the week before. */
export function OverviewPage() {
  const { change, overview, period } = useOverview();
  const [query, changeQuery] = useAddressQuery();
  const given = query.get('sort') ?? '';
  const sort = isSort(given) ? given : 'errors';
  const body = overview.data?.body;
  useEffect(preloadCharts, []);
  return (
    <>
      <PageHeader
        title="Overview"
        description="All accounts of this gateway. Requests and spend are up to two minutes old."
      />
      <Stack gap="lg">
        <AttentionPanel />
        <Group justify="space-between" align="flex-end" gap="sm">
          <SegmentedControl aria-label="Period" data={PERIOD_OPTIONS} value={period} onChange={change} />
          <NativeSelect
            label="Sort tables by"
            data={SORT_OPTIONS}
            value={sort}
            onChange={(event) => changeQuery({ sort: event.currentTarget.value })}
          />
        </Group>
        <QueryState query={overview} loading="Reading the figures" />
        {body !== undefined && (
          <>
            <HeadlineFigures totals={body.totals} />
            <UsageOverTime
              buckets={body.series.map(({ charged_usd, cost_usd, margin_usd, start, ...counts }) => ({
                ...counts,
                startMs: Date.parse(start),
                costUsd: charged_usd,
                operatorMoney: { costUsd: cost_usd, marginUsd: margin_usd },
              }))}
              width={PERIODS[period].width}
              csvName="overview.csv"
            />
            <TopAccountsPanel period={period} />
            <FiguresPanel subject="provider" rows={body.providers} {...{ sort, period }} />
            <FiguresPanel subject="model" rows={body.models} {...{ sort, period }} />
          </>
        )}
      </Stack>
    </>
  );
}
