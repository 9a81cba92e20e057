import { Badge, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Hint } from '../../components/hint.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatDate } from '../../format/format-time.ts';
import { useOffersPlayground } from '../../session/use-may.ts';
import { type State, StatusMark } from '../status/status-mark.tsx';
import { capabilityName } from './capability-names.ts';
import { describeRouting } from './describe-routing.ts';
import { isConfigured } from './is-configured.ts';
import type { Model } from './matching-models.ts';
import classes from './models.module.css';
import { priceLines } from './price-lines.ts';

const MS_PER_SECOND = 1_000;

interface ModelDetailsProps {
  /** Undefined: the dialog is closed. */
  model: Model | undefined;
  stateOf: (model: Model) => State;
  onClose: () => void;
}

/** Shows in a dialog what a model can do and costs, and its id to copy. */
export function ModelDetails({ model, stateOf, onClose }: ModelDetailsProps) {
  return (
    <Modal opened={model !== undefined} onClose={onClose} title={model?.name} centered>
      {model !== undefined && <Details model={model} state={stateOf(model)} />}
    </Modal>
  );
}

function Details({ model, state }: { model: Model; state: State }) {
  const offersPlayground = useOffersPlayground();
  const { aliases, capability, deprecated_at, description, id, models, owned_by, tier } = model;
  return (
    <Stack gap="sm">
      <Group gap={6}>
        <Badge>{capabilityName(capability)}</Badge>
        <Badge color={tier === 'free' ? 'teal' : 'gray'}>{tier === 'free' ? 'Free' : 'Paid'}</Badge>
        {deprecated_at !== undefined && (
          <Badge color="orange">Deprecated {formatDate(deprecated_at * MS_PER_SECOND)}</Badge>
        )}
        <StatusMark state={state} configuration={model.configuration} />
      </Group>
      {description !== '' && <Text size="sm">{description}</Text>}
      <dl className={classes.facts}>
        {factsOf(model).map(([label, value]) => (
          <div key={label}>
            <Hint component="dt">{label}</Hint>
            <Text component="dd" size="sm">
              {value}
            </Text>
          </div>
        ))}
      </dl>
      {models !== undefined && <Hint className="break-anywhere">{describeRouting(models)}</Hint>}
      {aliases !== undefined && <Hint className="break-anywhere">Also called {aliases.join(', ')}</Hint>}
      <Hint>by {owned_by}</Hint>
      <Code className="break-anywhere">{id}</Code>
      <Group gap="xs">
        <CopyButton value={id} label="Copy id" />
        {offersPlayground && capability === 'chat' && isConfigured(model) && (
          <Button
            component={Link}
            to={`/dashboard/playground?model=${encodeURIComponent(id)}`}
            size="xs"
            variant="light"
            leftSection={<IconMessageCircle size={16} aria-hidden />}
          >
            Try it
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function factsOf(model: Model): [label: string, value: string][] {
  const { tier, context_length: context, max_output_tokens: output, input_modalities: inputs } = model;
  return [
    ...(tier === 'free'
      ? [['Price', 'Free of charge'] satisfies [string, string]]
      : priceLines(model).map(({ per, amount }): [string, string] => [`Per ${per}`, amount])),
    ...(context === null ? [] : [tokens('Context', context)]),
    ...(output === null ? [] : [tokens('Maximum output', output)]),
    ...(model.capability === 'chat' ? [['Input', inputs.join(', ')] satisfies [string, string]] : []),
  ];
}

function tokens(label: string, count: number): [string, string] {
  return [label, `${formatCount(count)} tokens`];
}
