import { Badge, SimpleGrid } from '@mantine/core';
import type { Storage } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Fact } from '../../components/fact.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatBytes } from '../../format/format-bytes.ts';
import { formatCountShort } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';

const REFETCH_MS = 30_000;

/** Shows Postgres and Redis as the control plane sees them. */
export function StoragePanel() {
  const storage = useManagement('getStorage', {}, { refetchMs: REFETCH_MS });
  const body = storage.data?.body;
  return (
    <Panel title="Postgres and Redis" description="As the control plane that responds sees them.">
      <QueryState query={storage} loading="Reading the state of Postgres and Redis" />
      {body !== undefined && <Stores storage={body} />}
    </Panel>
  );
}

function Stores({ storage: { postgres, redis } }: { storage: Storage }) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Fact label="Postgres">
          <Badge color="green">Reachable</Badge> {formatDuration(postgres.latency_ms)}
        </Fact>
        <Fact label="Version">{postgres.version}</Fact>
        <Fact label="Size">{formatBytes(postgres.size_bytes)}</Fact>
        <Fact label="Connections">
          {postgres.connections} of {postgres.max_connections}
        </Fact>
        <Fact label="Replication">
          {postgres.replicas.length === 0 ? 'None' : postgres.replicas.map(replicaText).join(', ')}
        </Fact>
        <Fact label="Redis">
          {redis === null ? (
            'None: set REDIS_URL'
          ) : redis.reachable ? (
            <>
              <Badge color="green">Reachable</Badge> {formatDuration(redis.latency_ms ?? 0)}
            </>
          ) : (
            <Badge color="red">Unreachable</Badge>
          )}
        </Fact>
      </SimpleGrid>
      <EntryTable
        caption="Largest tables"
        entries={postgres.tables}
        idOf={({ name }) => name}
        columns={[
          { id: 'name', header: 'Largest tables', cell: ({ name }) => name },
          {
            id: 'size',
            header: 'With indexes',
            align: 'right',
            cell: ({ size_bytes: size }) => formatBytes(size),
          },
          {
            id: 'rows',
            header: 'Rows, estimated',
            align: 'right',
            cell: ({ rows }) => (rows === null ? 'Not known yet' : formatCountShort(rows)),
          },
        ]}
      />
    </>
  );
}

function replicaText({ lag_seconds: lag, name, state }: Storage['postgres']['replicas'][number]): string {
  const behind = lag === null ? '' : `, ${formatDuration(lag * 1_000)} behind`;
  return `${name} (${state ?? 'state not visible'}${behind})`;
}
