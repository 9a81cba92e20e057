import { Divider, Group, Stack, Text } from '@mantine/core';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatUnits } from '../usage/format-units.ts';
import { describeUsageSource } from './describe-receipt.ts';
import { formatFullUsd } from './exact-usd.ts';
import { receiptBill } from './receipt-lines.ts';

/** Shows the bill, line by line, or by model if several took part. */
export function BillPanel({ receipt }: { receipt: ReceiptResponse }) {
  return (
    <Panel title="What it cost" description={describeUsageSource(receipt.usageSource)}>
      {receipt.parts.length === 0 ? <Lines receipt={receipt} /> : <Parts parts={receipt.parts} />}
      <Divider />
      <Stack gap={4}>
        <Rounding receipt={receipt} />
        <Group justify="space-between">
          <Text fw={600}>Cost</Text>
          <Text fw={700} fz="xl">
            {formatFullUsd(receipt.costUsd)}
          </Text>
        </Group>
      </Stack>
    </Panel>
  );
}

function Lines({ receipt }: { receipt: ReceiptResponse }) {
  const { lines } = receiptBill(receipt);
  if (lines.length === 0) return <Hint>Nothing was used, so there is nothing to pay.</Hint>;
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
              : `${price ?? 'free of charge'}${isUnpriced ? ' (it has no price of its own)' : ''}`,
        },
        { id: 'amount', header: 'Amount', align: 'right', cell: ({ amount }) => amount },
      ]}
    />
  );
}

function Parts({ parts }: Pick<ReceiptResponse, 'parts'>) {
  return (
    <EntryTable
      caption="Models and their cost"
      entries={parts.map((part, place) => ({ ...part, id: String(place) }))}
      idOf={({ id }) => id}
      columns={[
        { id: 'model', header: 'Model', cell: ({ model }) => <Identifier id={model} /> },
        { id: 'units', header: 'Used', align: 'right', cell: ({ units }) => formatUnits(units) },
        { id: 'amount', header: 'Amount', align: 'right', cell: ({ costUsd }) => formatFullUsd(costUsd) },
      ]}
    />
  );
}

function Rounding({ receipt }: { receipt: ReceiptResponse }) {
  const beforeRounding = receipt.parts.length === 0 ? receiptBill(receipt).beforeRounding : undefined;
  if (beforeRounding === undefined) return null;
  return <Hint ta="right">Exactly {beforeRounding}, rounded up to a billionth of a dollar</Hint>;
}
