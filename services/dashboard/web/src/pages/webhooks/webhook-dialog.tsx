import { Checkbox, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { EVENT_TYPES, type EventType, INSTALLATION_EVENT_TYPES } from '@model-gateway/shared/event-types';
import { useState } from 'react';
import type { NewWebhook, Webhook } from '../../../../wire/webhooks.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { useWebhooksRefetch } from './use-webhooks.ts';
import { useWebhookSource } from './webhook-source.ts';

interface WebhookDialogProps {
  opened: boolean;
  /** Webhook to change; left out: a new one. */
  webhook?: Webhook;
  onClose: () => void;
  onAdded?: (added: NewWebhook) => void;
}

const FORMATS = [
  { value: 'standard', label: 'Standard Webhooks (signed JSON)' },
  { value: 'slack', label: 'Slack (a text message)' },
];

/** Asks for the settings of a webhook, and adds or changes it. */
export function WebhookDialog({ opened, webhook, onClose, onAdded }: WebhookDialogProps) {
  const source = useWebhookSource();
  const { managed } = source;
  const isNewOfInstallation = managed !== undefined && managed.accountId === undefined;
  const ofInstallation = webhook === undefined ? isNewOfInstallation : webhook.account_id === null;
  const offered = EVENT_TYPES.filter((type) => ofInstallation || !INSTALLATION_EVENT_TYPES.includes(type));
  const [events, setEvents] = useState<EventType[]>(webhook?.events ?? []);
  const form = useForm({
    fields: {
      url: webhook?.url ?? '',
      description: webhook?.description ?? '',
      format: webhook?.format ?? 'standard',
      events: '',
    },
    check: ({ url }) => ({
      url: /^(https?:\/\/|mailto:)\S+$/.test(url.trim())
        ? undefined
        : 'Enter a URL that begins with https:// or mailto:',
      events: events.length === 0 ? 'Choose at least one.' : undefined,
    }),
    send: useWebhooksRefetch(async ({ url, description, format }, set) => {
      const chosen = format === 'slack' ? 'slack' : 'standard';
      const settings = { url: url.trim(), description: description.trim(), format: chosen, events } as const;
      const sent = { ...settings, events: [...events] };
      if (webhook === undefined) {
        const added = await source.create(sent);
        set({ url: '', description: '', format: 'standard' });
        setEvents([]);
        onAdded?.(added);
      } else await source.change(webhook.id, sent);
      onClose();
    }),
  });
  const title = webhook === undefined ? 'Add a webhook' : 'Change the webhook';
  return (
    <FormDialog
      opened={opened}
      title={title}
      submitLabel={webhook === undefined ? 'Add webhook' : 'Save'}
      form={form}
      size="lg"
      onClose={onClose}
    >
      <TextInput
        label="URL"
        required
        type="url"
        autoComplete="off"
        placeholder="https://example.com/webhooks"
        data-autofocus
        {...form.field('url')}
      />
      <Checkbox.Group
        label="Events"
        required
        withAsterisk={false}
        value={events}
        onChange={(chosen) => setEvents(EVENT_TYPES.filter((type) => chosen.includes(type)))}
        error={form.problems.events}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {offered.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <NativeSelect label="Format" data={FORMATS} {...form.field('format')} />
      <TextInput label="Description" autoComplete="off" {...form.field('description')} />
    </FormDialog>
  );
}
