import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { ResponseOf } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Fact } from '../../components/fact.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { CredentialsPanel } from './credentials-panel.tsx';
import { failedShare, latencyOf, successOf } from './figures.ts';
import { HealthMark } from './health-mark.tsx';
import { RefusalText } from './refusal-text.tsx';

type Provider = ResponseOf<'getProvider'>;
type Breaker = Provider['breakers'][number];
type Upstream = Provider['models'][number];

const REFETCH_MS = 10_000;

/** Shows a provider with its breakers, credentials, models and traffic. */
export function ProviderPage() {
  const { id = '' } = useParams();
  const provider = useManagement('getProvider', { path: { id } }, { refetchMs: REFETCH_MS });
  const body = provider.data?.body;
  return (
    <>
      <BackLink to="/operate/providers">Providers</BackLink>
      <PageHeader title={body?.name ?? id} description={<Identifier id={id} />} />
      <Stack gap="lg">
        <QueryState query={provider} loading="Reading the provider" />
        {body !== undefined && <Details provider={body} />}
      </Stack>
    </>
  );
}

function Details({ provider }: { provider: Provider }) {
  const { health, identity_refusal: refusal } = provider;
  return (
    <>
      {refusal !== null && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The identity is refused">
          <RefusalText provider={provider.name} refusal={refusal} />
        </Alert>
      )}
      <CredentialsPanel credentials={provider.credentials} />
      <Panel
        title="Health and traffic"
        actions={<TextLink to={consolePaths.requests({ provider: provider.id })}>Requests</TextLink>}
      >
        <HealthMark health={health} />
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Fact label="Attempts, 24 h">{formatCount(health.requests_24h)}</Fact>
          <Fact label="Success, 24 h">{successOf(health)}</Fact>
          <Fact label="Latency p50 / p95">{latencyOf(health)}</Fact>
          <Fact label="Last traffic">
            {health.last_traffic_at === null ? 'None' : <Moment ms={Date.parse(health.last_traffic_at)} />}
          </Fact>
          <Fact label="API">{provider.kind}</Fact>
          <Fact label="Base URL">{provider.base_url}</Fact>
          {provider.region !== null && <Fact label="Region">{provider.region}</Fact>}
        </SimpleGrid>
      </Panel>
      <Panel
        title="Open circuit breakers"
        description="A data plane shuts out a provider or model that fails, and tests it every few seconds."
      >
        {provider.breakers.length === 0 ? (
          <Hint>None is open.</Hint>
        ) : (
          <EntryTable
            caption="Open circuit breakers"
            entries={provider.breakers}
            idOf={({ data_plane, model }) => `${data_plane} ${model}`}
            columns={breakerColumns}
          />
        )}
      </Panel>
      <Panel title="Models">
        {provider.models.length === 0 ? (
          <Hint>No model has an upstream here.</Hint>
        ) : (
          <EntryTable
            caption="Models"
            entries={provider.models}
            idOf={({ id, model, priority }) => `${id} ${model} ${priority}`}
            columns={modelColumns}
            cardsBelow="62em"
          />
        )}
      </Panel>
    </>
  );
}

const breakerColumns: [Column<Breaker>, ...Column<Breaker>[]] = [
  { id: 'scope', header: 'Shuts out', cell: ({ model }) => model ?? 'The whole provider' },
  {
    id: 'for',
    header: 'For',
    cell: ({ shuts_out }) =>
      shuts_out === 'everyone' ? 'Everyone' : 'Accounts and teams whose own requests failed',
  },
  { id: 'since', header: 'Since', cell: ({ since }) => <Moment ms={Date.parse(since)} /> },
  {
    id: 'plane',
    header: 'Data plane',
    cell: ({ data_plane }) => <span className="cell-name">{data_plane}</span>,
  },
];

const modelColumns: [Column<Upstream>, ...Column<Upstream>[]] = [
  {
    id: 'model',
    header: 'Model',
    cell: ({ id }) => (
      <span className="cell-name">
        <TextLink to={consolePaths.model(id)}>{id}</TextLink>
      </span>
    ),
  },
  {
    id: 'name',
    header: 'Name at the provider',
    cell: ({ model }) => <span className="cell-name">{model}</span>,
  },
  { id: 'capability', header: 'Capability', cell: ({ capability }) => capability },
  {
    id: 'order',
    header: 'Priority, weight',
    cell: ({ priority, weight }) => `${priority}, ${weight}`,
  },
  {
    id: 'attempts',
    header: 'Attempts, 24 h',
    align: 'right',
    cell: ({ attempts_24h }) => formatCount(attempts_24h),
  },
  { id: 'failed', header: 'Failed', align: 'right', cell: (upstream) => failedShare(upstream) },
];
