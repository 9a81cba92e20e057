import { Badge, Group, Text } from '@mantine/core';
import type { RequestEntry, RequestOutcome } from '../../../../wire/requests.ts';
import { formatCount } from '../../format/format-count.ts';
import { describeResponse } from '../receipt/describe-receipt.ts';

const OUTCOMES: Record<RequestOutcome, { name: string; color: string }> = {
  completed: { name: 'Completed', color: 'green' },
  interrupted: { name: 'Stopped', color: 'yellow' },
  failed: { name: 'Failed', color: 'red' },
  refused: { name: 'Refused', color: 'orange' },
};

/** Shows the outcome and the status of a request, or how many were refused alike. */
export function OutcomeBadge({
  disconnected,
  entry,
}: {
  entry: Pick<RequestEntry, 'outcome' | 'status' | 'errorCode' | 'refused'>;
  /** The words for a caller that had disconnected. */
  disconnected?: string;
}) {
  const { name, color } = OUTCOMES[entry.outcome];
  const answered = describeResponse(entry, disconnected);
  return (
    <Group gap={6} display="inline-flex">
      <Badge color={color}>
        {entry.refused === null ? name : `${name} ×${formatCount(entry.refused.count)}`}
      </Badge>
      {answered !== undefined && (
        <Text span size="xs" c="dimmed">
          {answered}
        </Text>
      )}
    </Group>
  );
}
