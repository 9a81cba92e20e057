import { Badge, Group, Text } from '@mantine/core';
import type { RequestEntry, RequestOutcome } from '../../../../wire/requests.ts';

const OUTCOMES: Record<RequestOutcome, { name: string; color: string }> = {
  completed: { name: 'Completed', color: 'green' },
  interrupted: { name: 'Stopped', color: 'yellow' },
  failed: { name: 'Failed', color: 'red' },
};

/** How a request ended; why, if it failed. */
export function OutcomeBadge({
  entry,
}: {
  entry: Pick<RequestEntry, 'outcome' | 'httpStatus' | 'errorCode'>;
}) {
  const { name, color } = OUTCOMES[entry.outcome];
  const reason = [entry.httpStatus, entry.errorCode].filter((part) => part !== null).join(' ');
  return (
    <Group gap={6} display="inline-flex">
      <Badge color={color}>{name}</Badge>
      {entry.outcome === 'failed' && reason !== '' && (
        <Text span size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </Group>
  );
}
