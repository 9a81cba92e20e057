import { Box, SimpleGrid, Stack } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { useManagement } from '../../api/use-management.ts';
import { Fact } from '../../components/fact.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { UsageOverTime } from '../../pages/usage/usage-over-time.tsx';

interface UsageOwner {
  account_id?: string;
  team_id?: string;
  seat_id?: string;
  keys?: string[];
  end_users?: string[];
}

const DAYS_OF_MONTH = 31;

/** Shows requests and spend of this month (UTC), by day. */
export function UsagePanel({ owner }: { owner: UsageOwner }) {
  const request = { query: { ...owner, bucket_width: '1d' as const, limit: DAYS_OF_MONTH } };
  const usage = useManagement('getUsage', request, { refetchMs: 30_000 });
  const body = usage.data?.body;
  const days = body?.data.map(({ results: [sums], start_time: start }) => ({
    startMs: start * 1_000,
    requests: sums?.requests ?? 0,
    costUsd: sums?.charged_usd ?? sums?.cost_usd ?? '0',
    operatorMoney: { costUsd: sums?.cost_usd ?? '0', marginUsd: sums?.margin_usd ?? '0' },
  }));
  return (
    <Stack gap="md">
      <Panel title="Usage this month (UTC)">
        <QueryState query={usage} loading="Reading the usage" />
        {body !== undefined && (
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
            <Fact label="Requests">{formatCount(body.totals.requests)}</Fact>
            <Fact label="Charged">{formatUsd(body.totals.charged_usd ?? body.totals.cost_usd)}</Fact>
            <Fact label="Cost">{formatUsd(body.totals.cost_usd)}</Fact>
            <Fact label="Margin">{formatUsd(body.totals.margin_usd ?? '0')}</Fact>
            <Fact label="Input tokens">{formatCount(body.totals.input_tokens)}</Fact>
            <Fact label="Output tokens">{formatCount(body.totals.output_tokens)}</Fact>
          </SimpleGrid>
        )}
      </Panel>
      {days !== undefined && (
        <WhenSeen>
          <UsageOverTime buckets={days} width="day" csvName="usage.csv" />
        </WhenSeen>
      )}
    </Stack>
  );
}

/** Draws charts once they are scrolled to, so that opening the page does not load their code. */
function WhenSeen({ children }: { children: ReactNode }) {
  const { inViewport, ref } = useInViewport();
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => setSeen((seen) => seen || inViewport), [inViewport]);
  return (
    <Box ref={ref} mih={300}>
      {wasSeen && children}
    </Box>
  );
}
