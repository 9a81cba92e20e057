import { Group, Text } from '@mantine/core';
import type { StatusResponse } from '../../../../wire/status.ts';

type Component = StatusResponse['status']['components'][number];

export type State = Component['state'];

/** Only what is known to work is green; no traffic is gray. */
export const STATES: Record<State, { name: string; color: string }> = {
  operational: { name: 'Operational', color: 'green' },
  degraded_performance: { name: 'Degraded', color: 'yellow' },
  partial_outage: { name: 'Partial outage', color: 'orange' },
  major_outage: { name: 'Major outage', color: 'red' },
  failed_when_last_asked: { name: 'Failed when last asked', color: 'orange' },
  not_configured: { name: 'Not configured', color: 'gray' },
  no_traffic: { name: 'No traffic', color: 'gray' },
  unknown: { name: 'Not known', color: 'gray' },
};

export interface StatusMarkProps {
  state: State;
  configuration?: Component['configuration'] | undefined;
}

/** Shows a state as a coloured dot with its name. */
export function StatusMark({ state, configuration }: StatusMarkProps) {
  const { name, color } = STATES[state];
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex" className="no-wrap">
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
