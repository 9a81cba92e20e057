import { Button, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import { SeatSelect } from '../keys/seat-select.tsx';
import type { Model } from '../models/matching-models.ts';
import { priceLines } from '../models/price-lines.ts';
import { useModelStates } from '../models/use-model-states.ts';
import { STATES, type State } from '../status/status-mark.tsx';
import { API_NAMES, playgroundApiOf } from './api-names.ts';
import type { ChatSettings, ReadSettings } from './chat-settings.ts';
import classes from './playground.module.css';
import { EXAMPLE_TOOLS } from './read-tools.ts';

interface SettingsPanelProps {
  models: readonly Model[];
  settings: ChatSettings;
  problems: ReadSettings['problems'];
  onChange: (change: Partial<ChatSettings>) => void;
}

/** Chooses the model, its settings and the payer. On a phone only the model is shown at first. */
export function SettingsPanel({ models, settings, problems, onChange }: SettingsPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const moreId = useId();
  const stateOf = useModelStates();
  const chosen = models.find(({ id }) => id === settings.model);
  const second = models.find(({ id }) => id === settings.secondModel);
  return (
    <Panel title="Settings">
      <NativeSelect
        label="Model"
        value={settings.model}
        data={groupsOf(models)}
        description={chosen === undefined ? undefined : aboutModel(chosen, stateOf(chosen))}
        inputWrapperOrder={['label', 'input', 'description']}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
      />
      <NativeSelect
        label="Compare with"
        value={settings.secondModel}
        data={[{ value: '', label: 'No second model' }, ...groupsOf(models)]}
        description={second === undefined ? undefined : aboutModel(second, stateOf(second))}
        inputWrapperOrder={['label', 'input', 'description']}
        onChange={(event) => onChange({ secondModel: event.currentTarget.value })}
      />
      <Button
        variant="default"
        size="sm"
        hiddenFrom="md"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={moreId}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer settings' : 'More settings'}
      </Button>
      <Stack gap="md" id={moreId} className={isOpen ? undefined : classes.more}>
        <NativeSelect
          label="API"
          value={settings.api}
          data={API_NAMES}
          onChange={(event) => onChange({ api: playgroundApiOf(event.currentTarget.value) })}
        />
        <Textarea
          label="System prompt"
          placeholder="How the model should behave"
          rows={4}
          value={settings.system}
          onChange={(event) => onChange({ system: event.currentTarget.value })}
        />
        <TextInput
          label="Temperature"
          description="From 0, the most predictable, to 2"
          inputMode="decimal"
          placeholder="Up to the model"
          value={settings.temperature}
          error={problems.temperature}
          onChange={(event) => onChange({ temperature: event.currentTarget.value })}
        />
        <TextInput
          label="Maximum output, in tokens"
          description="A lower limit also reserves less of your balance"
          inputMode="numeric"
          placeholder="Up to the model"
          value={settings.maxTokens}
          error={problems.maxTokens}
          onChange={(event) => onChange({ maxTokens: event.currentTarget.value })}
        />
        <Textarea
          label="Tools"
          description="JSON, as in Chat Completions. The model can call them; you enter their results."
          placeholder='[{ "type": "function", … }]'
          rows={3}
          value={settings.tools}
          error={problems.tools}
          spellCheck={false}
          classNames={{ input: classes.json }}
          onChange={(event) => onChange({ tools: event.currentTarget.value })}
        />
        {settings.tools === '' && (
          <Button variant="subtle" size="compact-xs" onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
            Insert an example tool
          </Button>
        )}
        <SeatSelect label="Who pays" value={settings.seatId} onChange={(seatId) => onChange({ seatId })} />
        <Text size="xs" c="dimmed">
          The conversation exists only on this page: it is gone when you leave.
        </Text>
      </Stack>
    </Panel>
  );
}

function groupsOf(models: readonly Model[]) {
  return (['free', 'paid'] as const)
    .map((tier) => ({
      group: tier === 'free' ? 'Free' : 'Paid',
      items: models
        .filter((model) => model.tier === tier)
        .map(({ id, name }) => ({ value: id, label: name })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** States not worth a remark: a model without traffic may work well. */
const UNREMARKABLE: ReadonlySet<State> = new Set(['operational', 'no_traffic', 'unknown']);

function aboutModel(model: Model, state: State): string {
  const price =
    model.tier === 'free'
      ? 'Free of charge'
      : priceLines(model)
          .map(({ amount, per }) => `${amount} per ${per}`)
          .join(', ');
  if (UNREMARKABLE.has(state)) return price;
  const when = state === 'failed_when_last_asked' ? '' : ' right now';
  return `${STATES[state].name}${when}. ${price}`;
}
