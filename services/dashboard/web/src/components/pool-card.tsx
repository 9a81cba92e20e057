import { Badge, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { Pool } from '../../../wire/usage.ts';
import { Hint } from '../components/hint.tsx';
import { formatDateTime, formatRelative, formatUtcDay } from '../format/format-time.ts';
import { formatUsd, formatUsdLeft } from '../format/format-usd.ts';

interface PoolCardProps {
  pool: Pool;
  /** Names the owner, if "Team" or "Seat" alone does not. */
  ownerLabel?: string;
  /** Replaces the line with the next refill and the expiry. */
  note?: string;
}

/**
 * Shows the balance of a pool, its next refill and its expiry. The balance includes what is reserved for
 * running requests.
 */
export function PoolCard({ pool, ownerLabel, note }: PoolCardProps) {
  const { name, scope, includedUsd, usedUsd, heldUsd, leftUsd } = pool;
  const isReserved = Number(heldUsd) > 0;
  return (
    <Paper withBorder radius="md" p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text fw={600} className="break-anywhere">
            {name}
          </Text>
          <Badge color="gray" maw="100%">
            {ownerLabel ?? scopeLabels[scope]}
          </Badge>
        </Group>
        {includedUsd === null || leftUsd === null ? (
          <Text fz={24} fw={700} lh={1.2}>
            Unlimited
          </Text>
        ) : (
          <>
            <Text fz={24} fw={700} lh={1.2}>
              {formatUsdLeft(leftUsd, includedUsd)}{' '}
              <Text span size="sm" fw={400} c="dimmed">
                left of {formatUsd(includedUsd)}
              </Text>
            </Text>
            <Progress.Root size={10} radius="xl" aria-hidden>
              <Progress.Section value={percentOf(usedUsd, includedUsd)} color="brand" />
              <Progress.Section value={percentOf(heldUsd, includedUsd)} color="brand.2" />
            </Progress.Root>
          </>
        )}
        <Group gap="lg" component="dl" m={0}>
          <Part color="var(--mantine-color-brand-filled)" label="Used" usd={usedUsd} />
          {isReserved && (
            <Part color="var(--mantine-color-brand-2)" label="Reserved right now" usd={heldUsd} />
          )}
        </Group>
        {isReserved && (
          <Hint>
            Reserved is {leftUsd !== null && 'a part of what is left: '}the maximum cost of requests that run
            now or just ended. What they do not use is released within seconds.
          </Hint>
        )}
        <Hint>{note ?? endText(pool)}</Hint>
      </Stack>
    </Paper>
  );
}

function percentOf(usd: string, includedUsd: string): number {
  const included = Number(includedUsd);
  return included === 0 ? 0 : (Number(usd) / included) * 100;
}

/** Says when the pool refills and expires. */
function endText({ leftUsd, resetsAtMs, expiresAtMs }: Pool): string {
  const when = (atMs: number) => `${formatUtcDay(atMs)}, ${formatRelative(atMs)}`;
  const texts: string[] = [];
  if (leftUsd === null) {
    texts.push(resetsAtMs === null ? 'Counts all usage.' : `Counts from zero again on ${when(resetsAtMs)}.`);
  } else {
    texts.push(resetsAtMs === null ? 'Does not refill.' : `Refills on ${when(resetsAtMs)}.`);
  }
  if (expiresAtMs !== null) {
    texts.push(`Expires on ${formatDateTime(expiresAtMs)}, ${formatRelative(expiresAtMs)}.`);
  }
  return texts.join(' ');
}

const scopeLabels: Record<Pool['scope'], string> = { account: 'Account', team: 'Team', seat: 'Seat' };

function Part({ color, label, usd }: { color: string; label: string; usd: string }) {
  return (
    <div>
      <Group component="dt" gap={6}>
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="5" fill={color} />
        </svg>
        <Text span size="xs" c="dimmed">
          {label}
        </Text>
      </Group>
      <Text component="dd" size="sm" fw={600} m={0}>
        {formatUsd(usd)}
      </Text>
    </div>
  );
}
