import { Stack, Text } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import type { ResponseOf } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { countOf, formatCount } from '../../format/format-count.ts';
import { CredentialsPanel } from './credentials-panel.tsx';
import { latencyOf, successOf } from './figures.ts';
import { HealthMark } from './health-mark.tsx';

type Provider = ResponseOf<'listProviders'>['data'][number];

const REFETCH_MS = 10_000;

/** Shows all providers with what is wrong, and all credentials. */
export function ProvidersPage() {
  const providers = useManagement('listProviders', {}, { refetchMs: REFETCH_MS });
  const credentials = useManagement('listCredentials', {}, { refetchMs: REFETCH_MS });
  const data = providers.data?.body.data;
  return (
    <>
      <PageHeader
        title="Providers"
        description="Health, circuit breakers and credentials of the providers in the catalog."
      />
      <Stack gap="lg">
        <QueryState query={providers} loading="Reading the providers" />
        {data?.length === 0 && (
          <EmptyState icon={<IconServer size={28} />} title="No provider yet">
            Add one in the <TextLink to="/operate/catalog">catalog</TextLink>.
          </EmptyState>
        )}
        {data !== undefined && data.length > 0 && (
          <Panel title="Providers">
            <EntryTable
              caption="Providers"
              entries={[...data].sort(byTrouble)}
              idOf={({ id }) => id}
              columns={columns}
              cardsBelow="62em"
            />
          </Panel>
        )}
        <QueryState query={credentials} loading="Reading the credentials" />
        {credentials.data !== undefined && (
          <CredentialsPanel credentials={credentials.data.body.data} mayAdd />
        )}
      </Stack>
    </>
  );
}

function byTrouble(one: Provider, other: Provider): number {
  return Number(isTroubled(other)) - Number(isTroubled(one));
}

function isTroubled({ breakers, credentials, health, identity_refusal }: Provider): boolean {
  const isRefused = identity_refusal !== null || credentials.some(({ state }) => state === 'refused');
  return isRefused || breakers.length > 0 || health.status !== 'operational';
}

const columns: [Column<Provider>, ...Column<Provider>[]] = [
  {
    id: 'name',
    header: 'Provider',
    cell: ({ id, name }) => (
      <NameCell detail={id}>
        <TextLink to={consolePaths.provider(id)}>{name}</TextLink>
      </NameCell>
    ),
  },
  { id: 'health', header: 'Health', cell: ({ health }) => <HealthMark health={health} /> },
  {
    id: 'credentials',
    header: 'Credentials',
    cell: ({ credentials, identity_refusal }) => summaryOf(credentials, identity_refusal !== null),
  },
  {
    id: 'breakers',
    header: 'Open breakers',
    align: 'right',
    cell: ({ breakers }) => formatCount(breakers.length),
  },
  { id: 'models', header: 'Models', align: 'right', cell: ({ models }) => formatCount(models) },
  {
    id: 'traffic',
    header: 'Attempts, 24 h',
    align: 'right',
    cell: ({ health }) => formatCount(health.requests_24h),
  },
  { id: 'success', header: 'Success', align: 'right', cell: ({ health }) => successOf(health) },
  {
    id: 'latency',
    header: 'Latency p50 / p95',
    align: 'right',
    cell: ({ health }) => latencyOf(health),
  },
];

function summaryOf(credentials: Provider['credentials'], isIdentityRefused: boolean) {
  const refused = credentials.filter(({ state }) => state === 'refused');
  if (refused.length > 0)
    return (
      <Text span size="sm" fw={600} c="var(--mantine-color-error)" className="cell-name">
        {refused.map(({ name }) => name).join(', ')} refused
      </Text>
    );
  if (isIdentityRefused) return 'Identity refused';
  if (credentials.length === 0) return 'None needed';
  const unset = credentials.filter(({ state }) => state !== 'set').length;
  return unset === 0
    ? countOf(credentials.length, 'set', 'set')
    : `${unset} of ${credentials.length} not set`;
}
