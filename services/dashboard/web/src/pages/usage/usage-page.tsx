import { Alert, Box, Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { IconChartBar, IconFlask } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { preloadCharts } from '../../charts/lazy-bars-over-time.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { SeatSelect } from '../keys/seat-select.tsx';
import { CsvLinks } from './csv-links.tsx';
import { maySeeRequests, type UsageOwner } from './find-usage-owner.ts';
import { HeadlineFigures } from './headline-figures.tsx';
import { LabelFilterNotice, LabelPanel } from './label-panel.tsx';
import { LimitsPanel } from './limits-panel.tsx';
import type { Period } from './period.ts';
import { PeriodPicker } from './period-picker.tsx';
import { PoolsPanel } from './pools-panel.tsx';
import { RequestsPanel } from './requests-panel.tsx';
import { ShareTable } from './share-table.tsx';
import { UsageOverTime } from './usage-over-time.tsx';
import { useRequests } from './use-requests.ts';
import { useRequestsPerPage } from './use-requests-per-page.ts';
import { useUsage } from './use-usage.ts';
import { useUsageOwner } from './use-usage-owner.ts';
import { type UsageScope, useUsageScope } from './use-usage-scope.ts';

/** Shows the usage and cost of a period: sums, charts, pools, requests and limits. */
export function UsagePage() {
  const scope = useUsageScope();
  const { choice, period, seatId, change } = scope;
  const owner = useUsageOwner(seatId);
  useEffect(preloadCharts, []);
  return (
    <>
      <PageHeader
        title="Usage"
        description={
          owner?.kind === 'other-seat'
            ? 'The usage and cost of the requests on this seat.'
            : 'The usage and cost of your requests.'
        }
        actions={
          period !== undefined && (
            <CsvLinks scope={scope} period={period} withRequests={maySeeRequests(owner)} />
          )
        }
      />
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="md">
          <PeriodPicker choice={choice} period={period} change={change} />
          <Box maw={320}>
            <SeatSelect
              label="Whose usage"
              value={seatId}
              {...(owner?.kind === 'other-seat' && {
                otherLabel: `Seat of ${owner.email} in ${owner.teamName}`,
              })}
              onChange={(seat) => change({ seat, key: undefined, model: undefined })}
            />
          </Box>
        </Group>
        {period !== undefined && <UsageOf scope={scope} period={period} owner={owner} />}
      </Stack>
    </>
  );
}

interface UsageOfProps {
  scope: UsageScope;
  period: Period;
  owner: UsageOwner | undefined;
}

function UsageOf({ scope, period, owner }: UsageOfProps) {
  const { fromMs, toMs, isLive } = period;
  const { seatId, label, value } = scope;
  const usage = useUsage(period, scope);
  const withRequests = maySeeRequests(owner);
  const limit = useRequestsPerPage();
  const recent = useRequests(
    withRequests
      ? { fromMs, toMs, seatId, label, value, model: undefined, keyId: undefined, limit, page: undefined }
      : undefined,
    isLive,
  );
  const state = <QueryState query={usage} loading="Reading your usage" />;
  if (usage.data === undefined) return state;
  const { totals, buckets, width, byModel, byKey, byLabel, pools } = usage.data;
  return (
    <Stack gap="md">
      {state}
      <LabelFilterNotice scope={scope} />
      {byKey.some(({ kind }) => kind === 'demo') && (
        <Alert color="yellow" icon={<IconFlask aria-hidden />} radius="md" py="xs" role="note">
          Includes made-up demo data.
        </Alert>
      )}
      <HeadlineFigures totals={totals} recent={withRequests ? recent.data?.requests : undefined} />
      {totals.requests === 0 ? (
        <NothingYet owner={owner} />
      ) : (
        <UsageOverTime buckets={buckets} width={width} />
      )}
      <PoolsPanel pools={pools} owner={owner} />
      {totals.requests > 0 && (
        <SimpleGrid cols={{ base: 1, lg: byKey.length > 0 ? 2 : 1 }} spacing="md">
          <FoldingPanel name="by-model" isFoldedOnPhone title="By model">
            <ShareTable
              caption="Usage by model"
              header="Model"
              totals={totals}
              rows={byModel.map((sums) => ({ id: sums.model, name: sums.model, isId: true, sums }))}
            />
          </FoldingPanel>
          {byKey.length > 0 && (
            <FoldingPanel name="by-key" isFoldedOnPhone title="By key">
              <ShareTable
                caption="Usage by key"
                header="Key"
                totals={totals}
                rows={byKey.map((sums) => ({
                  id: sums.keyId,
                  name: sums.name,
                  ...(sums.displayPrefix === null ? {} : { detail: `${sums.displayPrefix}…` }),
                  sums,
                }))}
              />
            </FoldingPanel>
          )}
        </SimpleGrid>
      )}
      {withRequests && totals.requests > 0 && <LabelPanel scope={scope} byLabel={byLabel} totals={totals} />}
      {withRequests ? (
        <>
          <RequestsPanel scope={scope} period={period} usage={usage.data} />
          <LimitsPanel seatId={scope.seatId} />
        </>
      ) : (
        owner?.kind === 'other-seat' && (
          <Hint>Single requests, keys and their limits are shown to {owner.email} alone.</Hint>
        )
      )}
    </Stack>
  );
}

function NothingYet({ owner }: { owner: UsageOwner | undefined }) {
  const mayCreate = useMay('developer');
  if (owner?.kind === 'other-seat') {
    return (
      <EmptyState icon={<IconChartBar size={28} />} title="No usage in this period">
        No request was sent with a key on this seat. Choose a longer period above.
      </EmptyState>
    );
  }
  if (!mayCreate) {
    return (
      <EmptyState icon={<IconChartBar size={28} />} title="No usage in this period">
        No request was sent with a key of this account. Choose a longer period above.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconChartBar size={28} />}
      title="No usage in this period"
      action={
        <Group gap="sm" justify="center">
          <Button component={Link} to="/dashboard/api-keys">
            Create a key
          </Button>
          <Button component={Link} to="/dashboard/first-request" variant="default">
            See example code
          </Button>
          <Button component={Link} to="/dashboard/playground" variant="default">
            Try the playground
          </Button>
        </Group>
      }
    >
      Create an API key and send a request: it shows here within seconds. Or choose a longer period above.
    </EmptyState>
  );
}
