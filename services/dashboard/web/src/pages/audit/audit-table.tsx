import { Badge, Box, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { AuditEvent } from '../../../../wire/audit.ts';
import { ACTIONS, type Column } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { LongTable } from '../../components/long-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { ScrollFrame } from '../../components/scroll-frame.tsx';
import { listChanges } from './list-changes.ts';

interface AuditTableProps {
  events: readonly AuditEvent[];
  /** True: names the account of each event. */
  withAccounts: boolean;
  onOpen: (event: AuditEvent) => void;
}

export function AuditTable({ events, onOpen, withAccounts }: AuditTableProps) {
  return (
    <LongTable
      caption="Audit events"
      entries={events}
      idOf={({ id }) => id}
      columns={columnsOf(withAccounts, onOpen)}
      cardsBelow="85em"
    />
  );
}

function columnsOf(
  withAccount: boolean,
  onOpen: AuditTableProps['onOpen'],
): [Column<AuditEvent>, ...Column<AuditEvent>[]] {
  return [
    {
      id: 'action',
      header: 'Action',
      cell: ({ action, atMs, outcome }) => (
        <Stack gap={0}>
          <Group gap="xs">
            <Code fz="sm" className="no-wrap">
              {action}
            </Code>
            {outcome === 'denied' && <Badge color="red">Denied</Badge>}
          </Group>
          <Text span size="xs" c="dimmed">
            <Moment ms={atMs} />
          </Text>
        </Stack>
      ),
    },
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
    { id: 'object', header: 'Object', cell: (event) => <Subject event={event} withAccount={withAccount} /> },
    {
      id: 'changes',
      header: 'Changes',
      isEmpty: (event) => listChanges(event).length === 0,
      cell: (event) => <Changes event={event} />,
    },
    {
      ...ACTIONS,
      cell: (event) => (
        <Button
          variant="subtle"
          size="xs"
          aria-label={`Open ${event.action} of ${event.object.name}`}
          onClick={() => onOpen(event)}
        >
          Open
        </Button>
      ),
    },
  ];
}

function nameOf({ email, id, type }: AuditEvent['actor']) {
  const name = email ?? id;
  return name === null || name === '' ? type.replaceAll('_', ' ') : <Identifier id={name} />;
}

function Subject({ event, withAccount }: { event: AuditEvent; withAccount: boolean }) {
  const { accountId, object } = event;
  return (
    <Stack gap={0}>
      <Text span size="sm" className="cell-name">
        {/\s|^$/.test(object.name) ? object.name || object.type : <Identifier id={object.name} />}
      </Text>
      {object.id !== '' && (
        <Text span size="xs" c="dimmed">
          <Identifier id={object.id} />
        </Text>
      )}
      {withAccount && accountId !== null && accountId !== object.id && (
        <Text span size="xs" c="dimmed" className="no-wrap">
          of <Identifier id={accountId} />
        </Text>
      )}
    </Stack>
  );
}

function Changes({ event }: { event: AuditEvent }) {
  const changes = listChanges(event);
  if (changes.length === 0) return '–';
  return (
    // The frame has no width of its own.
    <Box w="min(320px, 56vw)">
      <ScrollFrame label={`Changes of ${event.object.name}`}>
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
