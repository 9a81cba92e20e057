import { Group, NativeSelect, TextInput } from '@mantine/core';
import { IconBox } from '@tabler/icons-react';
import type { ItemOf } from '../../api/use-management.ts';
import { useManagement } from '../../api/use-management.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Column } from '../../components/entry-table.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { latencyOf, successOf } from '../providers/figures.ts';
import { HealthMark } from '../providers/health-mark.tsx';
import { shortPrice } from './short-price.ts';

type Model = ItemOf<'listModels'>;

/** Shows the models of the catalog with health, prices and traffic. */
export function ModelsPage() {
  const [query, change] = useAddressQuery();
  const search = query.get('search') ?? '';
  const provider = query.get('provider') ?? '';
  const providers = useManagement('listProviders', {}).data?.body.data ?? [];
  return (
    <>
      <PageHeader title="Models" description="Health, prices and traffic of the models in the catalog." />
      <Panel title="Models">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Search"
            type="search"
            placeholder="Id or name"
            value={search}
            onChange={({ currentTarget: { value } }) => change({ search: value }, { isTyping: true })}
          />
          <NativeSelect
            label="Provider"
            value={provider}
            onChange={({ currentTarget: { value } }) => change({ provider: value })}
            data={[
              { value: '', label: 'All' },
              ...providers.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Group>
        <ManagedTable
          operation="listModels"
          request={{ query: { search, provider } }}
          caption="Models"
          idOf={({ id }) => id}
          columns={columns}
          refetchMs={10_000}
          empty={
            <EmptyState icon={<IconBox size={28} />} title="No such model">
              Change the search, or add models in the <TextLink to="/operate/catalog">catalog</TextLink>.
            </EmptyState>
          }
        />
      </Panel>
    </>
  );
}

const columns: [Column<Model>, ...Column<Model>[]] = [
  {
    id: 'model',
    header: 'Model',
    cell: ({ id, name }) => (
      <NameCell detail={name}>
        <TextLink to={consolePaths.model(id)}>{id}</TextLink>
      </NameCell>
    ),
  },
  { id: 'health', header: 'Health', cell: ({ health }) => <HealthMark health={health} /> },
  {
    id: 'kind',
    header: 'Capability',
    cell: ({ capability, kind }) => (kind === 'virtual' ? 'Virtual' : capability),
  },
  { id: 'price', header: 'Price now', cell: (model) => shortPrice(model) },
  {
    id: 'traffic',
    header: 'Requests, 24 h',
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
