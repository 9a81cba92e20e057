import { Button, SimpleGrid, Stack } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useManagement } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { actorName } from '../../pages/audit/actor-name.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { DifferenceTable } from './difference-table.tsx';

/** Shows a catalog that was in force, and what it changed. */
export function CatalogVersionPage() {
  const { revision = '' } = useParams();
  const version = useManagement('getCatalogVersion', { path: { revision } });
  const mayChange = useMayChange();
  const inForce = useManagement('getCatalog', {}).data?.body.revision;
  const body = version.data?.body;
  return (
    <>
      <BackLink to="/operate/catalog/versions">History of the catalog</BackLink>
      <PageHeader
        title={`Catalog ${revision}`}
        actions={
          mayChange &&
          inForce !== undefined &&
          String(inForce) !== revision && (
            <Button
              component={Link}
              to={`/operate/catalog?version=${encodeURIComponent(revision)}&view=yaml`}
              leftSection={<IconArrowBackUp size={18} aria-hidden />}
            >
              Roll back to it
            </Button>
          )
        }
      />
      <Stack gap="lg">
        <QueryState query={version} loading="Reading the catalog" />
        {body !== undefined && (
          <>
            <Panel title="Applied">
              <SimpleGrid cols={{ base: 2, sm: 4 }}>
                <Fact label="When">
                  {body.applied_at === null ? (
                    'Before the history began'
                  ) : (
                    <Moment ms={Date.parse(body.applied_at)} />
                  )}
                </Fact>
                <Fact label="By">{body.applied_by === null ? 'Not known' : actorName(body.applied_by)}</Fact>
                <Fact label="Way">{body.action?.split('.')[1] ?? 'Not known'}</Fact>
              </SimpleGrid>
            </Panel>
            <Panel title="Changes from the previous catalog">
              <DifferenceTable differences={body.differences} />
            </Panel>
          </>
        )}
      </Stack>
    </>
  );
}
