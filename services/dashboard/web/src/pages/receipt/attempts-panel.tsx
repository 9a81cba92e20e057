import { Text } from '@mantine/core';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { describeAttempt } from './describe-receipt.ts';

/** Shows the attempts at providers and their outcomes. */
export function AttemptsPanel({ attempts }: Pick<ReceiptResponse, 'attempts'>) {
  return (
    <Panel
      title="Attempts"
      description="When a provider fails, the gateway tries the next one, then the fallback models. Failed attempts are free."
    >
      {attempts.length === 0 ? (
        <Hint>No attempt is on record.</Hint>
      ) : (
        <EntryTable
          caption="Attempts at providers"
          entries={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
          idOf={({ number }) => String(number)}
          columns={[
            {
              id: 'provider',
              header: 'Provider',
              cell: ({ number, provider }) => (
                <Text size="sm" fw={500}>
                  {number}. {provider}
                </Text>
              ),
            },
            { id: 'model', header: 'Model', cell: ({ model }) => <Identifier id={model} /> },
            { id: 'outcome', header: 'What the provider did', cell: describeAttempt },
            {
              id: 'duration',
              header: 'Took',
              align: 'right',
              cell: ({ durationMs }) => formatDuration(durationMs),
            },
          ]}
        />
      )}
    </Panel>
  );
}
