import { Badge, Box, Code, Group, Stack, Text } from '@mantine/core';
import type { AuditEvent } from '../../../../wire/audit.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { ScrollFrame } from '../../components/scroll-frame.tsx';
import { listChanges } from './list-changes.ts';

export function AuditTable({ events }: { events: readonly AuditEvent[] }) {
  return (
    <EntryTable
      caption="Audit events"
      entries={events}
      idOf={({ id }) => id}
      columns={columns}
      cardsBelow="74em"
    />
  );
}

const columns: [Column<AuditEvent>, ...Column<AuditEvent>[]] = [
  {
    id: 'action',
    header: 'Action',
    cell: ({ action, outcome }) => (
      <Group gap="xs">
        <Code fz="sm">{action}</Code>
        {outcome === 'denied' && <Badge color="red">Denied</Badge>}
      </Group>
    ),
  },
  { id: 'at', header: 'Time', cell: ({ atMs }) => <Moment ms={atMs} /> },
  {
    id: 'actor',
    header: 'Done by',
    cell: ({ actor, way }) => (
      <Stack gap={0}>
        <Text span size="sm">
          {nameOf(actor)}
        </Text>
        <Text span size="xs" c="dimmed">
          {[way, actor.ip].filter(Boolean).join(', ')}
        </Text>
      </Stack>
    ),
  },
  {
    id: 'object',
    header: 'Object',
    cell: ({ object }) => (
      <Stack gap={0}>
        <Text span size="sm" className="cell-name">
          {/\s|^$/.test(object.name) ? object.name || object.type : <Identifier id={object.name} />}
        </Text>
        {object.id !== '' && (
          <Text span size="xs" c="dimmed">
            <Identifier id={object.id} />
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: 'changes',
    header: 'What changed',
    isEmpty: (event) => listChanges(event).length === 0,
    cell: (event) => <Changes event={event} />,
  },
];

function nameOf({ email, id, type }: AuditEvent['actor']) {
  const name = email ?? id;
  return name === null || name === '' ? type.replaceAll('_', ' ') : <Identifier id={name} />;
}

function Changes({ event }: { event: AuditEvent }) {
  const changes = listChanges(event);
  if (changes.length === 0) return '–';
  return (
    <Box maw={280}>
      <ScrollFrame label={`What changed in ${event.object.name}`}>
        <ul className="plain-list no-wrap">
          {changes.map(({ field, before, after }) => (
            <li key={field}>
              <Text span size="xs">
                <b>{field}</b>: {before !== null && <del>{before}</del>}{' '}
                {after !== null && <ins>{after}</ins>}
              </Text>
            </li>
          ))}
        </ul>
      </ScrollFrame>
    </Box>
  );
}
