import { List, SimpleGrid, Stack } from '@mantine/core';
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
import { actorName } from '../../pages/audit/actor-name.ts';
import { failedShare, latencyOf, successOf } from '../providers/figures.ts';
import { HealthMark } from '../providers/health-mark.tsx';
import { priceTexts } from './short-price.ts';

type Model = ResponseOf<'getModel'>;
type Upstream = Model['upstreams'][number];
type PriceVersion = Model['price_versions'][number];

/** Shows a model with its upstreams, capabilities and the history of its prices. */
export function ModelPage() {
  const id = useParams()['*'] ?? '';
  const model = useManagement('getModel', { path: { id } }, { refetchMs: 10_000 });
  const body = model.data?.body;
  return (
    <>
      <BackLink to="/operate/models">Models</BackLink>
      <PageHeader title={body?.name ?? id} description={<Identifier id={id} />} />
      <Stack gap="lg">
        <QueryState query={model} loading="Reading the model" />
        {body !== undefined && <Details model={body} />}
      </Stack>
    </>
  );
}

function Details({ model }: { model: Model }) {
  const { health } = model;
  return (
    <>
      <Panel
        title="Health and traffic"
        actions={<TextLink to={consolePaths.requests({ model: model.id })}>Requests</TextLink>}
      >
        <HealthMark health={health} />
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Fact label="Requests, 24 h">{formatCount(health.requests_24h)}</Fact>
          <Fact label="Success, 24 h">{successOf(health)}</Fact>
          <Fact label="Latency p50 / p95">{latencyOf(health)}</Fact>
          <Fact label="Last traffic">
            {health.last_traffic_at === null ? 'None' : <Moment ms={Date.parse(health.last_traffic_at)} />}
          </Fact>
        </SimpleGrid>
      </Panel>
      <Panel title={model.kind === 'virtual' ? 'Models behind it' : 'Upstreams'}>
        {model.kind === 'virtual' ? (
          <List>
            {model.models.map((each) => (
              <List.Item key={each.model}>
                <TextLink to={consolePaths.model(each.model)}>{each.model}</TextLink>, weight {each.weight}
              </List.Item>
            ))}
          </List>
        ) : (
          <EntryTable
            caption="Upstreams"
            entries={model.upstreams}
            idOf={({ model: name, priority, provider }) => `${provider} ${name} ${priority}`}
            columns={upstreamColumns}
          />
        )}
      </Panel>
      <Panel title="Capabilities">
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Fact label="Capability">{model.capability ?? 'That of its models'}</Fact>
          <Fact label="Tier">{model.tier ?? 'That of its models'}</Fact>
          <Fact label="Context">{tokens(model.context_length)}</Fact>
          <Fact label="Longest output">{tokens(model.max_output_tokens)}</Fact>
          <Fact label="Input">{listed(model.input_modalities)}</Fact>
          <Fact label="Output">{listed(model.output_modalities)}</Fact>
          <Fact label="Other names">{listed(model.aliases)}</Fact>
          <Fact label="Fallbacks">{listed(model.fallbacks)}</Fact>
        </SimpleGrid>
      </Panel>
      <Panel title="Prices" description="A request is billed by the version in force when it began.">
        {model.price_versions.length === 0 ? (
          <Hint>It never had a price.</Hint>
        ) : (
          <EntryTable
            caption="Price versions"
            entries={model.price_versions}
            idOf={({ version }) => String(version)}
            columns={priceColumns}
          />
        )}
      </Panel>
    </>
  );
}

function tokens(count: number | null): string {
  return count === null ? 'Not stated' : `${formatCount(count)} tokens`;
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? 'None' : values.join(', ');
}

const upstreamColumns: [Column<Upstream>, ...Column<Upstream>[]] = [
  {
    id: 'provider',
    header: 'Provider',
    cell: ({ provider }) => <TextLink to={consolePaths.provider(provider)}>{provider}</TextLink>,
  },
  {
    id: 'model',
    header: 'Model at the provider',
    cell: ({ model }) => <span className="cell-name">{model}</span>,
  },
  { id: 'order', header: 'Priority, weight', cell: ({ priority, weight }) => `${priority}, ${weight}` },
  {
    id: 'apis',
    header: 'APIs',
    cell: ({ apis }) => (apis.length === 0 ? 'Those of the provider' : apis.join(', ')),
  },
  {
    id: 'attempts',
    header: 'Attempts, 24 h',
    align: 'right',
    cell: ({ attempts_24h }) => formatCount(attempts_24h),
  },
  { id: 'failed', header: 'Failed', align: 'right', cell: (upstream) => failedShare(upstream) },
];

const priceColumns: [Column<PriceVersion>, ...Column<PriceVersion>[]] = [
  { id: 'version', header: 'Version', cell: ({ version }) => version },
  {
    id: 'prices',
    header: 'Prices',
    cell: ({ pricing }) => {
      const texts = priceTexts(pricing);
      return texts.length === 0 ? 'Free' : texts.join(', ');
    },
  },
  { id: 'since', header: 'Applied', cell: ({ applied_at }) => <Moment ms={Date.parse(applied_at)} /> },
  {
    id: 'source',
    header: 'Source',
    cell: ({ applied_by, catalog_revision: revision }) =>
      revision === null ? (
        'A catalog older than the history'
      ) : (
        <span className="cell-name">
          <TextLink to={consolePaths.catalogVersion(String(revision))}>Catalog {revision}</TextLink>
          {applied_by !== null && ` by ${actorName(applied_by)}`}
        </span>
      ),
  },
];
