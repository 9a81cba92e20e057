import { Text } from '@mantine/core';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { attemptMeaning } from './receipt-words.ts';

/** Shows which providers the gateway tried, and what each of them answered. */
export function AttemptsPanel({ attempts }: Pick<ReceiptAnswer, 'attempts'>) {
  return (
    <Panel
      title="Attempts"
      description="The gateway tries the next provider when one fails, and then the next model, if there is one. Attempts that fail cost nothing."
    >
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          No attempt is on record.
        </Text>
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
            { id: 'model', header: 'Model', cell: ({ model }) => model },
            { id: 'outcome', header: 'What the provider did', cell: attemptMeaning },
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
