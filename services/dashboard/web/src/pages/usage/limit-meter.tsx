import { Group, Progress, Text } from '@mantine/core';
import type { LimitsResponse } from '../../../../wire/limits.ts';
import { formatCount } from '../../format/format-count.ts';
import { shareUsed } from './sort-by-use.ts';

type Limit = LimitsResponse['keys'][number]['limits'][number];

const NAMES: Record<Limit['name'], string> = {
  'key.free': 'Free models',
  'key.paid': 'Paid models',
  'key.reads': 'GET requests',
  'key.streams': 'Streams',
  'key-requests': 'All models',
  'key-tokens': 'Tokens, input and output',
  team: 'Team, all of its keys',
};

/** From this share on, a limit is nearly reached. */
const NEARLY = 0.8;

/** Shows how much of a limit is used right now. */
export function LimitMeter({ limit: { name, limit, windowSeconds, used } }: { limit: Limit }) {
  const share = shareUsed({ name, limit, windowSeconds, used });
  const per = windowSeconds === null ? 'at a time' : `in ${windowSeconds} s`;
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text span size="xs">
          {NAMES[name]}
        </Text>
        <Text span size="xs" c="dimmed" ta="right">
          {used === null ? 'not known right now' : `${formatCount(used)} of ${formatCount(limit)} ${per}`}
        </Text>
      </Group>
      <Progress
        value={Math.min(100, share * 100)}
        size={6}
        radius="xl"
        color={share >= 1 ? 'red' : share >= NEARLY ? 'yellow' : 'brand'}
        aria-hidden
      />
    </div>
  );
}
