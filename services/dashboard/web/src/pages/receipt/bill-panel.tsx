import { Divider, Group, Stack, Text } from '@mantine/core';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { unitsText } from '../usage/units-text.ts';
import { fullUsd } from './exact-usd.ts';
import { receiptBill } from './receipt-lines.ts';
import { sourceMeaning } from './receipt-words.ts';

/**
 * Shows the bill: units times price, line by line, or model by model where several answered; and the cost.
 */
export function BillPanel({ receipt }: { receipt: ReceiptAnswer }) {
  return (
    <Panel title="What it cost" description={sourceMeaning(receipt.usageSource)}>
      {receipt.parts.length === 0 ? <Lines receipt={receipt} /> : <Parts parts={receipt.parts} />}
      <Divider />
      <Stack gap={4}>
        <Rounding receipt={receipt} />
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

function Lines({ receipt }: { receipt: ReceiptAnswer }) {
  const { lines } = receiptBill(receipt);
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing was used, so there is nothing to pay.
      </Text>
    );
  }
  const isFree = receipt.priceVersion === null;
  return (
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
          cell: ({ price, isUnpriced }) =>
            isFree
              ? 'free model'
              : `${price ?? 'free of charge'}${isUnpriced ? ', for want of its own' : ''}`,
        },
        { id: 'amount', header: 'Amount', align: 'right', cell: ({ amount }) => amount },
      ]}
    />
  );
}

function Parts({ parts }: Pick<ReceiptAnswer, 'parts'>) {
  return (
    <EntryTable
      caption="Models and their cost"
      entries={parts.map((part, place) => ({ ...part, id: String(place) }))}
      idOf={({ id }) => id}
      columns={[
        { id: 'model', header: 'Model', cell: ({ model }) => <Text size="sm">{model}</Text> },
        { id: 'units', header: 'Used', align: 'right', cell: ({ units }) => unitsText(units) },
        { id: 'amount', header: 'Amount', align: 'right', cell: ({ costUsd }) => fullUsd(costUsd) },
      ]}
    />
  );
}

function Rounding({ receipt }: { receipt: ReceiptAnswer }) {
  const beforeRounding = receipt.parts.length === 0 ? receiptBill(receipt).beforeRounding : undefined;
  if (beforeRounding === undefined) return null;
  return (
    <Text size="sm" c="dimmed" ta="right">
      Exactly {beforeRounding}, rounded up once to a billionth of a dollar
    </Text>
  );
}
