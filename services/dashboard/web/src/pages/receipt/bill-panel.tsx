import { Divider, Group, Stack, Text } from '@mantine/core';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { fullUsd } from './exact-usd.ts';
import { receiptBill } from './receipt-lines.ts';
import { sourceMeaning } from './receipt-words.ts';

/** Shows the bill: units times price, line by line, and the cost. */
export function BillPanel({ receipt }: { receipt: ReceiptAnswer }) {
  const { lines, beforeRounding } = receiptBill(receipt);
  const isFree = receipt.priceVersion === null;
  return (
    <Panel title="What it cost" description={sourceMeaning(receipt.usageSource)}>
      {lines.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing was used, so there is nothing to pay.
        </Text>
      ) : (
        <EntryTable
          caption="Units and their cost"
          entries={lines}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', header: 'Used', cell: ({ name }) => <Text size="sm">{name}</Text> },
            { id: 'count', header: 'Units', align: 'right', cell: ({ count }) => count },
            {
              id: 'price',
              header: 'Price',
              align: 'right',
              cell: ({ price }) => (isFree ? 'free model' : (price ?? 'free of charge')),
            },
            { id: 'amount', header: 'Amount', align: 'right', cell: ({ amount }) => amount },
          ]}
        />
      )}
      <Divider />
      <Stack gap={4}>
        {beforeRounding !== undefined && (
          <Text size="sm" c="dimmed" ta="right">
            Exactly {beforeRounding}, rounded up once to a billionth of a dollar
          </Text>
        )}
        <Group justify="space-between">
          <Text fw={600}>Cost</Text>
          <Text fw={700} fz="xl">
            {fullUsd(receipt.costUsd)}
          </Text>
        </Group>
      </Stack>
    </Panel>
  );
}
