import { Group, Text } from '@mantine/core';
import type { StatusAnswer } from '../../../../wire/status.ts';
import classes from './status.module.css';

export type Status = StatusAnswer['status']['components'][number]['status'];

export const STATUSES: Record<Status, { name: string; color: string }> = {
  operational: { name: 'Operational', color: 'green' },
  degraded_performance: { name: 'Degraded', color: 'yellow' },
  partial_outage: { name: 'Partial outage', color: 'orange' },
  major_outage: { name: 'Major outage', color: 'red' },
};

/** A dot, and what it stands for in words. */
export function StatusMark({ status }: { status: Status }) {
  const { name, color } = STATUSES[status];
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex" className={classes.mark}>
      <svg width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="5" fill={`var(--mantine-color-${color}-6)`} />
      </svg>
      <Text span size="sm">
        {name}
      </Text>
    </Group>
  );
}
