import { Stack, Text } from '@mantine/core';
import type { ResponseOf } from '../../../../wire/management.ts';
import { Moment } from '../../components/moment.tsx';
import { STATES, type State, StatusMark } from '../../pages/status/status-mark.tsx';

export type Health = ResponseOf<'listModels'>['data'][number]['health'];

/** Shows the state of a provider or model with what is wrong and since when. */
export function HealthMark({ health }: { health: Health }) {
  return (
    <Stack gap={2}>
      <StatusMark state={stateOf(health.state)} />
      {health.sentence !== null && health.state !== 'no_traffic' && (
        <Text size="xs" className="break-anywhere">
          {health.sentence}
          {health.since !== null && (
            <>
              {' '}
              Began <Moment ms={Date.parse(health.since)} />.
            </>
          )}
        </Text>
      )}
    </Stack>
  );
}

function stateOf(text: string): State {
  return (Object.keys(STATES) as State[]).find((state) => state === text) ?? 'unknown';
}
