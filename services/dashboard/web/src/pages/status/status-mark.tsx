import { Group, Text } from '@mantine/core';
import type { StatusAnswer } from '../../../../wire/status.ts';
import classes from './status.module.css';

type Component = StatusAnswer['status']['components'][number];

export type Status = NonNullable<StatusAnswer['models']>['data'][number]['status'];

export const STATUSES: Record<Status, { name: string; color: string }> = {
  operational: { name: 'Operational', color: 'green' },
  degraded_performance: { name: 'Degraded', color: 'yellow' },
  partial_outage: { name: 'Partial outage', color: 'orange' },
  major_outage: { name: 'Major outage', color: 'red' },
  not_configured: { name: 'Not configured', color: 'gray' },
};

export interface StatusMarkProps {
  status: Status;
  configuration?: Component['configuration'] | undefined;
}

/** A dot, and what it stands for in words. A provider without a credential is called that, whatever its status. */
export function StatusMark({ status, configuration }: StatusMarkProps) {
  const { name, color } = STATUSES[configuration === 'not_configured' ? configuration : status];
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex" className={classes.mark}>
      <svg width="10" height="10" aria-hidden="true">
        <circle cx="5" cy="5" r="5" fill={`var(--mantine-color-${color}-6)`} />
      </svg>
      <Text span size="sm">
        {name}
        {configuration === 'partly_configured' && ', partly configured'}
      </Text>
    </Group>
  );
}
