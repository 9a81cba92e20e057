import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { useState } from 'react';
import type { Fleet } from '../../../../wire/management.ts';
import { changeManagement } from '../../api/management.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { countOf, formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { VersionCell } from './version-cell.tsx';

type DataPlane = Fleet['data_planes'][number];

/** Lists the data planes, and lets operators take them out of traffic and back. */
export function DataPlanesPanel({ fleet }: { fleet: Fleet }) {
  const mayChange = useMayChange();
  const [draining, setDraining] = useState<DataPlane | null>(null);
  const drain = useAction(async ({ instance_id: id }: DataPlane) => {
    await changeManagement('drainDataPlane', { path: { id }, body: {} });
    setDraining(null);
    await refreshManagement();
  });
  const undrain = useAction(async ({ instance_id: id }: DataPlane) => {
    await changeManagement('undrainDataPlane', { path: { id }, body: {} });
    await refreshManagement();
  });
  const planes = fleet.data_planes;
  const inTraffic = planes.filter((plane) => plane.live && plane.drain_ordered_at === null);
  return (
    <Panel title="Data planes" description="They serve the API. A drained one takes no new requests.">
      <ErrorNotice error={undrain.error} />
      {planes.length === 0 ? (
        <EmptyState icon={<IconServer size={28} />} title="No data plane is connected">
          Start one with CONTROL_PLANE_ADDRESS set to this control plane, or read its log for the reason.
        </EmptyState>
      ) : (
        <EntryTable
          caption="Data planes"
          entries={planes}
          idOf={({ instance_id: id }) => id}
          isDimmed={({ live }) => !live}
          cardsBelow="88em"
          columns={columnsOf(fleet.version, mayChange ? { onDrain: setDraining, undrain } : undefined)}
        />
      )}
      <ConfirmDialog
        subject={draining}
        title="Take this data plane out of traffic?"
        confirmLabel="Drain"
        action={drain}
        onClose={() => setDraining(null)}
      >
        {(plane) => (
          <>
            <Text size="sm">
              Readiness of {plane.state?.host ?? plane.instance_id} fails, so load balancers send it no new
              requests. Requests under way end. It lasts until you take it back, or until its process ends.
            </Text>
            {inTraffic.length === 1 && (
              <Text size="sm" fw={600}>
                It is the only data plane in traffic: callers would get no response.
              </Text>
            )}
          </>
        )}
      </ConfirmDialog>
    </Panel>
  );
}

interface Changes {
  onDrain: (plane: DataPlane) => void;
  undrain: Action<[DataPlane]>;
}

function columnsOf(
  version: string,
  changes: Changes | undefined,
): [Column<DataPlane>, ...Column<DataPlane>[]] {
  const number = (id: string, header: string, cell: Column<DataPlane>['cell']): Column<DataPlane> => ({
    ...{ id, header, cell, align: 'right', mayWrap: true, isEmpty: ({ state }) => state === null },
  });
  return [
    { id: 'host', header: 'Address', cell: (plane) => <Name plane={plane} /> },
    { id: 'state', header: 'State', cell: (plane) => <State plane={plane} /> },
    { id: 'version', header: 'Version', cell: (plane) => <Version plane={plane} current={version} /> },
    number('requests', 'Requests/s', ({ state }) => state?.requests_per_second.toFixed(1)),
    number(
      'open',
      'Open (streams)',
      ({ state }) => state && `${state.open_requests} (${state.open_streams})`,
    ),
    number('lag', 'Watch lag', ({ state }) => state && formatDuration(state.watch_lag_ms)),
    number('queue', 'Settlement queue', ({ state }) => state && formatCount(state.settlement_queue)),
    number('reserved', 'Reserved', ({ state }) => state && formatUsd(state.reserved_usd)),
    number('loop', 'Event-loop delay', ({ state }) => state && formatDuration(state.event_loop_delay_ms)),
    {
      id: 'needs',
      header: 'Redis',
      mayWrap: true,
      cell: (plane) => <Needs plane={plane} />,
    },
    ...(changes === undefined
      ? []
      : [{ ...ACTIONS, cell: (plane: DataPlane) => <Traffic plane={plane} changes={changes} /> }]),
  ];
}

function Version({ current, plane: { state } }: { plane: DataPlane; current: string }) {
  if (state === null) return 'Not reported';
  return (
    <Stack gap={0}>
      <VersionCell version={state.version} current={current} />
      <Text span size="xs" c="dimmed">
        since <Moment ms={Date.parse(state.started_at)} />
      </Text>
    </Stack>
  );
}

function Name({ plane: { instance_id: id, state } }: { plane: DataPlane }) {
  return (
    <Stack gap={0}>
      <Text span size="sm" className="break-anywhere">
        {state?.host ?? 'Address not reported'}
      </Text>
      <Text span size="xs" c="dimmed">
        <Identifier id={id} />
      </Text>
    </Stack>
  );
}

function State({ plane }: { plane: DataPlane }) {
  const { drain_ordered_at: orderedAt, ended_at: endedAt, live, state } = plane;
  if (endedAt !== null)
    return (
      <Group gap="xs" wrap="nowrap">
        <Badge color="red">Gone</Badge> <Moment ms={Date.parse(endedAt)} />
      </Group>
    );
  if (!live) return <Badge color="red">Gone</Badge>;
  if (orderedAt === null && state?.drained !== true) return <Badge color="green">In traffic</Badge>;
  if (orderedAt === null) return <Badge color="yellow">Returning</Badge>;
  const open = state?.open_requests ?? 0;
  if (state?.drained !== true || open > 0)
    return <Badge color="yellow">Draining, {countOf(open, 'request')}</Badge>;
  return <Badge color="yellow">Drained</Badge>;
}

function Needs({ plane: { missing_credentials: missing, state } }: { plane: DataPlane }) {
  return (
    <Stack gap={2} align="flex-start">
      {state?.redis === 'unreachable' && <Badge color="red">Redis unreachable</Badge>}
      {state?.redis === 'reachable' && <Text size="sm">Redis reachable</Text>}
      {state?.redis === 'none' && <Text size="sm">No Redis</Text>}
      {missing.length > 0 && (
        <Text size="sm" className="break-anywhere">
          Lacks {missing.join(', ')}
        </Text>
      )}
    </Stack>
  );
}

function Traffic({ plane, changes: { onDrain, undrain } }: { plane: DataPlane; changes: Changes }) {
  const name = plane.state?.host ?? plane.instance_id;
  if (!plane.live || plane.state === null) return null;
  return plane.drain_ordered_at === null ? (
    <Button variant="default" size="xs" aria-label={`Drain ${name}`} onClick={() => onDrain(plane)}>
      Drain
    </Button>
  ) : (
    <Button
      variant="default"
      size="xs"
      aria-label={`Take ${name} back`}
      loading={undrain.isPending}
      onClick={() => undrain.run(plane)}
    >
      Take back
    </Button>
  );
}
