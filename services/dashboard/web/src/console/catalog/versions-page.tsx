import { Badge } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import type { ItemOf } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Column } from '../../components/entry-table.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { actorName } from '../../pages/audit/actor-name.ts';

type Version = ItemOf<'listCatalogVersions'>;

/** Lists the catalogs that were in force. */
export function CatalogVersionsPage() {
  return (
    <>
      <BackLink to="/operate/catalog">Catalog</BackLink>
      <PageHeader title="History of the catalog" description="The last 200 catalogs are kept." />
      <Panel title="Catalogs" description="The first one is in force.">
        <ManagedTable
          operation="listCatalogVersions"
          request={{}}
          caption="Catalogs"
          idOf={({ revision }) => String(revision)}
          columns={columns}
          empty={
            <EmptyState icon={<IconHistory size={28} />} title="No catalog so far">
              Each <TextLink to="/operate/catalog">catalog</TextLink> that you apply is listed here.
            </EmptyState>
          }
        />
      </Panel>
    </>
  );
}

const columns: [Column<Version>, ...Column<Version>[]] = [
  {
    id: 'revision',
    header: 'Revision',
    cell: ({ revision }) => (
      <TextLink to={consolePaths.catalogVersion(String(revision))}>Catalog {revision}</TextLink>
    ),
  },
  {
    id: 'at',
    header: 'Applied',
    cell: ({ applied_at: at }) => (at === null ? 'Before the history began' : <Moment ms={Date.parse(at)} />),
  },
  {
    id: 'by',
    header: 'By',
    cell: ({ applied_by: by }) => (
      <span className="break-anywhere">{by === null ? 'Not known' : actorName(by)}</span>
    ),
  },
  {
    id: 'action',
    header: 'Way',
    cell: ({ action }) => (action === null ? '–' : <Badge variant="light">{action.split('.')[1]}</Badge>),
  },
  { id: 'models', header: 'Models', cell: ({ changes }) => summaryOf(changes?.models) },
  { id: 'providers', header: 'Providers', cell: ({ changes }) => summaryOf(changes?.providers) },
];

function summaryOf(changes: NonNullable<Version['changes']>['models'] | undefined): string {
  if (changes === undefined) return '–';
  const parts = (['added', 'changed', 'retired'] as const)
    .filter((kind) => changes[kind].count > 0)
    .map((kind) => `${changes[kind].count} ${kind}`);
  return parts.length === 0 ? 'No change' : parts.join(', ');
}
