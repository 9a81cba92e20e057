import { Badge, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { BudgetState } from '@model-gateway/shared/rules';
import { Hint } from '../../components/hint.tsx';
import { formatDateTime, formatRelative } from '../../format/format-time.ts';
import { formatUsd, formatUsdLeft } from '../../format/format-usd.ts';
import { scopeName, WINDOW_NAMES } from './rule-words.ts';

/** Shows what is left of a budget in its present window, what is spent and reserved, and when it ends. */
export function BudgetCard({ budget }: { budget: BudgetState }) {
  const { limit_usd, remaining_usd, reserved_usd, spent_usd, scope, window, resets_at, on_exceed } = budget;
  const left = Number(remaining_usd) > 0 ? remaining_usd : '0';
  return (
    <Paper withBorder radius="md" p="md" component="li">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text fw={600}>
            {formatUsd(limit_usd)} {WINDOW_NAMES[window].toLowerCase()}
          </Text>
          <Group gap={6}>
            {on_exceed === 'warn' && <Badge color="yellow">Only warns</Badge>}
            <Badge color="gray">{scopeName(scope)}</Badge>
          </Group>
        </Group>
        <Text fz={24} fw={700} lh={1.2}>
          {formatUsdLeft(left, limit_usd)}{' '}
          <Text span size="sm" fw={400} c="dimmed">
            left of {formatUsd(limit_usd)}
          </Text>
        </Text>
        <Progress.Root size={10} radius="xl" aria-hidden>
          <Progress.Section value={percentOf(spent_usd, limit_usd)} color="brand" />
          <Progress.Section value={percentOf(reserved_usd, limit_usd)} color="brand.2" />
        </Progress.Root>
        <Group gap="lg" component="dl" m={0}>
          <Figure label="Spent" usd={spent_usd} />
          <Figure label="Reserved right now" usd={reserved_usd} />
        </Group>
        <Hint>{resetText(resets_at)}</Hint>
      </Stack>
    </Paper>
  );
}

function Figure({ label, usd }: { label: string; usd: string }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" size="sm" fw={600} m={0}>
        {formatUsd(usd)}
      </Text>
    </div>
  );
}

function resetText(resetsAt: string | null): string {
  if (resetsAt === null) return 'Counts for all time.';
  const atMs = Date.parse(resetsAt);
  return `Counts from zero again on ${formatDateTime(atMs)}, ${formatRelative(atMs)}.`;
}

function percentOf(usd: string, wholeUsd: string): number {
  const whole = Number(wholeUsd);
  return whole === 0 ? 0 : Math.min(100, (Number(usd) / whole) * 100);
}
