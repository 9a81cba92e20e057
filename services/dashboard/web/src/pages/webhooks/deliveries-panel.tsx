import { Badge, Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook, WebhookDelivery } from '../../../../wire/webhooks.ts';
import { useAction } from '../../api/use-action.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { useDeliveries, useWebhooksRefetch } from './use-webhooks.ts';
import { useWebhookSource } from './webhook-source.ts';

const STATES = {
  pending: { color: 'blue', label: 'Waiting' },
  delivered: { color: 'green', label: 'Delivered' },
  failed: { color: 'red', label: 'Failed' },
  held: { color: 'gray', label: 'Not sent' },
} as const;
const CHOICES = [
  { value: '', label: 'All' },
  ...Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
];
const DAY_MS = 86_400_000;

interface DeliveriesPanelProps {
  webhook: Webhook;
  mayChange: boolean;
}

/** Shows the deliveries of 30 days, and sends a test or delivers events again. */
export function DeliveriesPanel({ webhook, mayChange }: DeliveriesPanelProps) {
  const source = useWebhookSource();
  const [state, setState] = useState('');
  const deliveries = useDeliveries(webhook.id, state === '' ? undefined : state);
  const error = useLastError(deliveries);
  const [notice, setNotice] = useState('');
  const test = useAction(
    useWebhooksRefetch(async () => {
      const { attempts, state } = await source.test(webhook.id);
      const last = attempts.at(-1);
      const why = last?.error ?? `status ${last?.status ?? 'unknown'}`;
      setNotice(
        state === 'delivered'
          ? `The receiver accepted the test in ${last?.duration_ms ?? 0} ms.`
          : `The test failed: ${why}.`,
      );
    }),
  );
  const redeliver = useAction(
    useWebhooksRefetch(async (what: { eventId: string } | { sinceMs: number }) => {
      const { count } = await source.redeliver(webhook.id, what);
      setNotice(count === 1 ? 'The event is delivered again.' : `${count} events are delivered again.`);
    }),
  );
  const rows = deliveries.data?.pages.flatMap(({ data }) => data);
  const actions: Column<WebhookDelivery> = {
    ...ACTIONS,
    cell: ({ event_id: eventId, type }) =>
      mayChange && (
        <Button
          size="xs"
          variant="subtle"
          aria-label={`Deliver ${type} again`}
          onClick={() => redeliver.run({ eventId })}
        >
          Deliver again
        </Button>
      ),
  };
  return (
    <Panel
      title="Deliveries"
      description="Those of the last 30 days. A failed one is tried again for about three days."
      actions={
        mayChange && (
          <>
            <Button variant="default" size="xs" loading={test.isPending} onClick={test.run}>
              Send a test
            </Button>
            <Button
              variant="default"
              size="xs"
              loading={redeliver.isPending}
              onClick={() => redeliver.run({ sinceMs: Date.now() - DAY_MS })}
            >
              Deliver the last 24 hours again
            </Button>
          </>
        )
      }
    >
      <Group>
        <NativeSelect
          label="State"
          data={CHOICES}
          value={state}
          onChange={({ currentTarget }) => setState(currentTarget.value)}
        />
      </Group>
      <Text role="status" size="sm">
        {notice}
      </Text>
      <ErrorNotice error={test.error ?? redeliver.error ?? error} />
      {rows === undefined && error === null && <PageLoading label="Reading the deliveries" />}
      {rows?.length === 0 && (
        <Hint>{state === '' ? 'Nothing to deliver yet. Send a test.' : 'No delivery is in this state.'}</Hint>
      )}
      {rows !== undefined && rows.length > 0 && (
        <EntryTable
          caption="Deliveries"
          entries={rows}
          idOf={({ event_id: id }) => id}
          columns={[...columns, actions]}
          cardsBelow="62em"
        />
      )}
      {deliveries.hasNextPage && (
        <Stack align="center">
          <Button
            variant="default"
            loading={deliveries.isFetchingNextPage}
            onClick={() => void deliveries.fetchNextPage()}
          >
            Older deliveries
          </Button>
        </Stack>
      )}
    </Panel>
  );
}

const columns: [Column<WebhookDelivery>, ...Column<WebhookDelivery>[]] = [
  {
    id: 'event',
    header: 'Event',
    cell: ({ event_at: at, event_id: id, type }) => (
      <>
        <Code>{type}</Code>
        <Text size="xs" c="dimmed">
          <Moment ms={Date.parse(at)} />
        </Text>
        <Identifier id={id} />
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ due_at: due, state }) => (
      <>
        <Badge color={STATES[state].color}>{STATES[state].label}</Badge>
        {due !== null && (
          <Text size="xs" c="dimmed">
            next attempt <Moment ms={Date.parse(due)} />
          </Text>
        )}
      </>
    ),
  },
  { id: 'attempts', header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts.length },
  {
    id: 'last',
    header: 'Last response',
    cell: ({ attempts }) => <LastAttempt attempt={attempts.at(-1)} />,
  },
];

function LastAttempt({ attempt }: { attempt: WebhookDelivery['attempts'][number] | undefined }) {
  if (attempt === undefined) return '–';
  return (
    <>
      <Text size="sm" className="break-anywhere">
        {attempt.error ?? `Status ${attempt.status}`} in {attempt.duration_ms} ms
      </Text>
      {attempt.response !== null && attempt.response !== '' && (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {attempt.response}
        </Text>
      )}
    </>
  );
}
