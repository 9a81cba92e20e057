import { Code, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import type { AuditEvent } from '../../../../wire/audit.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { actorName } from './actor-name.ts';

/** Shows everything about an event. @param event null: the dialog is closed */
export function EventDialog({ event, onClose }: { event: AuditEvent | null; onClose: () => void }) {
  // Keeps showing the event while the dialog fades out.
  const last = useRef(event);
  last.current = event ?? last.current;
  return (
    <Modal opened={event !== null} onClose={onClose} title={last.current?.action ?? ''} size="xl" centered>
      {last.current !== null && <Details event={last.current} />}
    </Modal>
  );
}

function Details({ event }: { event: AuditEvent }) {
  const { actor, object, requestId } = event;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Fact label="Event">{event.id}</Fact>
        <Fact label="When">
          <Moment form="full" ms={event.atMs} />
        </Fact>
        <Fact label="Done by">{[actorName(actor), event.way, actor.ip].filter(Boolean).join(', ')}</Fact>
        <Fact label="Outcome">{event.outcome}</Fact>
        <Fact label="Object">
          {object.type} {object.id} {object.name !== object.id && object.name}
        </Fact>
        <Fact label="Account">{event.accountId ?? 'The installation'}</Fact>
        {requestId !== null && <Fact label="Request ID">{requestId}</Fact>}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Resource label="Before" resource={event.before} />
        <Resource label="After" resource={event.after} />
      </SimpleGrid>
    </Stack>
  );
}

function Resource({ label, resource }: { label: string; resource: AuditEvent['before'] }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <Code block tabIndex={0} role="region" aria-label={label} className="break-anywhere">
        {resource === null ? 'None' : JSON.stringify(resource, null, 2)}
      </Code>
    </div>
  );
}
