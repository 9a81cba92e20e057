import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Hint } from '../../components/hint.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatDate } from '../../format/format-time.ts';
import { type State, StatusMark } from '../status/status-mark.tsx';
import { capabilityName } from './capability-names.ts';
import { describeRouting } from './describe-routing.ts';
import { isConfigured } from './is-configured.ts';
import type { Model } from './matching-models.ts';
import classes from './models.module.css';
import { priceLines } from './price-lines.ts';

const MS_PER_SECOND = 1_000;

/** Shows what a model can do and costs, and its id to copy. */
export function ModelCard({ model, state }: { model: Model; state: State }) {
  return (
    <Paper component="li" withBorder p="md" miw={0}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
          <div>
            <Title order={2} size="h4">
              {model.name}
            </Title>
            <Text size="xs" c="dimmed">
              by {model.owned_by}
            </Text>
          </div>
          <StatusMark state={state} configuration={model.configuration} />
        </Group>
        <Group gap={6}>
          <Badge>{capabilityName(model.capability)}</Badge>
          <Badge color={model.tier === 'free' ? 'teal' : 'gray'}>
            {model.tier === 'free' ? 'Free' : 'Paid'}
          </Badge>
          {model.deprecated_at !== undefined && (
            <Badge color="orange">Deprecated {formatDate(model.deprecated_at * MS_PER_SECOND)}</Badge>
          )}
        </Group>
        {model.description !== '' && (
          <Text size="sm" lineClamp={3}>
            {model.description}
          </Text>
        )}
        <dl className={classes.facts}>
          {factsOf(model).map(({ label, value, weight }) => (
            <div key={label}>
              <Hint component="dt">{label}</Hint>
              <Text component="dd" size="sm" {...(weight && { fw: weight })}>
                {value}
              </Text>
            </div>
          ))}
        </dl>
        <Stack gap="xs" mt="auto">
          {model.models !== undefined && (
            <Hint className="break-anywhere">{describeRouting(model.models)}</Hint>
          )}
          <Code className="break-anywhere">{model.id}</Code>
          {model.aliases !== undefined && (
            <Hint className="break-anywhere">Also called {model.aliases.join(', ')}</Hint>
          )}
          <Group gap="xs">
            <CopyButton value={model.id} label="Copy id" />
            {model.capability === 'chat' && isConfigured(model) && (
              <Button
                component={Link}
                to={`/dashboard/playground?model=${encodeURIComponent(model.id)}`}
                size="xs"
                variant="light"
                leftSection={<IconMessageCircle size={16} aria-hidden />}
                aria-label={`Try it: ${model.name}`}
              >
                Try it
              </Button>
            )}
          </Group>
        </Stack>
      </Stack>
    </Paper>
  );
}

interface Fact {
  label: string;
  value: string;
  weight?: number;
}

function factsOf(model: Model): Fact[] {
  const { tier, context_length: context, max_output_tokens: output } = model;
  const prices = priceLines(model).map(({ per, amount }) => ({ label: `Per ${per}`, value: amount }));
  const money = tier === 'free' ? [{ label: 'Price', value: 'Free of charge' }] : prices;
  return [
    ...money.map((fact) => ({ ...fact, weight: 600 })),
    ...(context === null ? [] : [{ label: 'Context', value: `${formatCount(context)} tokens` }]),
    ...(output === null ? [] : [{ label: 'Maximum output', value: `${formatCount(output)} tokens` }]),
  ];
}
