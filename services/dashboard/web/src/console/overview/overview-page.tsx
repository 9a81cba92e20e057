import { SimpleGrid } from '@mantine/core';
import { useManagement } from '../../api/use-management.ts';
import { Fact } from '../../components/fact.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatCount } from '../../format/format-count.ts';

/** Shows the state of the installation. */
export function OverviewPage() {
  const fleet = useManagement('getFleet', {});
  const body = fleet.data;
  return (
    <>
      <PageHeader title="Overview" description="The state of this gateway." />
      <QueryState query={fleet} loading="Reading the state of the gateway" />
      {body !== undefined && (
        <Panel title="This gateway">
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            <Fact label="Accounts">{formatCount(body.accounts)}</Fact>
            <Fact label="Active keys">{formatCount(body.active_keys)}</Fact>
            <Fact label="Data planes">{formatCount(body.data_planes.length)}</Fact>
            <Fact label="Version">{body.version}</Fact>
          </SimpleGrid>
        </Panel>
      )}
    </>
  );
}
