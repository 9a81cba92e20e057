import { Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { CopyButton } from '../../components/copy-button.tsx';
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
  const prices = model.tier === 'free' ? [] : priceLines(model);
  return (
    <Paper component="li" withBorder p="md" className={classes.card}>
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
          {prices.map(({ id, amount, per }) => (
            <div key={id}>
              <Text component="dt" size="sm" c="dimmed">
                Per {per}
              </Text>
              <Text component="dd" size="sm" fw={600}>
                {amount}
              </Text>
            </div>
          ))}
          {model.tier === 'free' && (
            <div>
              <Text component="dt" size="sm" c="dimmed">
                Price
              </Text>
              <Text component="dd" size="sm" fw={600}>
                Free of charge
              </Text>
            </div>
          )}
          {model.context_length !== null && (
            <div>
              <Text component="dt" size="sm" c="dimmed">
                Context
              </Text>
              <Text component="dd" size="sm">
                {formatCount(model.context_length)} tokens
              </Text>
            </div>
          )}
          {model.max_output_tokens !== null && (
            <div>
              <Text component="dt" size="sm" c="dimmed">
                Longest answer
              </Text>
              <Text component="dd" size="sm">
                {formatCount(model.max_output_tokens)} tokens
              </Text>
            </div>
          )}
        </dl>
        <Stack gap="xs" mt="auto">
          {model.models !== undefined && (
            <Text size="sm" c="dimmed" className="break-anywhere">
              {describeRouting(model.models)}
            </Text>
          )}
          <Code className="break-anywhere">{model.id}</Code>
          {model.aliases !== undefined && (
            <Text size="sm" c="dimmed" className="break-anywhere">
              Also called {model.aliases.join(', ')}
            </Text>
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
