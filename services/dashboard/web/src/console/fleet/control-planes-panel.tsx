import { Badge, Stack, Text } from '@mantine/core';
import type { Fleet } from '../../../../wire/management.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { VersionCell } from './version-cell.tsx';

type ControlPlane = Fleet['control_planes'][number];

export function ControlPlanesPanel({ fleet }: { fleet: Fleet }) {
  return (
    <Panel title="Control planes" description="They manage keys, the catalog and money.">
      {fleet.control_planes.length === 0 ? (
        <Hint>None has reported yet. Each reports a few seconds after its start.</Hint>
      ) : (
        <EntryTable
          caption="Control planes"
          entries={fleet.control_planes}
          idOf={({ id }) => id}
          isDimmed={({ live }) => !live}
          cardsBelow="62em"
          columns={columnsOf(fleet)}
        />
      )}
    </Panel>
  );
}

function columnsOf({
  data_planes: planes,
  version,
}: Fleet): [Column<ControlPlane>, ...Column<ControlPlane>[]] {
  return [
    {
      id: 'host',
      header: 'Address',
      cell: ({ host, id }) => (
        <Stack gap={0}>
          <Text span size="sm" className="break-anywhere">
            {host}
          </Text>
          <Text span size="xs" c="dimmed">
            <Identifier id={id} />
          </Text>
        </Stack>
      ),
    },
    { id: 'state', header: 'State', cell: (plane) => <State plane={plane} /> },
    {
      id: 'version',
      header: 'Version',
      cell: (plane) => <VersionCell version={plane.version} current={version} />,
    },
    { id: 'since', header: 'Since', cell: (plane) => <Moment ms={Date.parse(plane.started_at)} /> },
    {
      id: 'planes',
      header: 'Data planes',
      align: 'right',
      cell: ({ id }) => planes.filter((plane) => plane.live && plane.control_plane_id === id).length,
    },
    {
      id: 'latency',
      header: 'Database latency',
      align: 'right',
      cell: ({ database_latency_ms: latency }) => formatDuration(latency),
    },
    {
      id: 'housekeeping',
      header: 'Housekeeping',
      cell: ({ housekeeping_at: at }) => (at === null ? 'Not yet' : <Moment ms={Date.parse(at)} />),
    },
  ];
}

function State({ plane: { live, problems, reported_at: at } }: { plane: ControlPlane }) {
  if (!live)
    return (
      <Text span size="sm">
        <Badge color="red">Silent</Badge> <Moment ms={Date.parse(at)} />
      </Text>
    );
  if (problems.length === 0) return <Badge color="green">Up to date</Badge>;
  return (
    <Stack gap={2} align="flex-start">
      <Badge color="red">Behind</Badge>
      <Text size="sm">{problems.join(', ')}</Text>
    </Stack>
  );
}
