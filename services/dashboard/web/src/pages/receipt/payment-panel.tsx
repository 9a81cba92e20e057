import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { Panel } from '../../components/panel.tsx';
import { fullUsd } from './exact-usd.ts';

/** Shows from which pools the cost was taken. */
export function PaymentPanel({ receipt }: { receipt: ReceiptAnswer }) {
  const { debits, chargedUsd, uncollectedUsd, heldUsd } = receipt;
  const isUncovered = Number(uncollectedUsd) > 0;
  return (
    <Panel title="Who paid" description="Pools are drawn on in order, the next when one is empty.">
      <Stack gap="xs">
        {debits.length === 0 && (
          <Text size="sm" c="dimmed">
            No pool was charged.
          </Text>
        )}
        {debits.map(({ poolId, name, scope, amountUsd }) => (
          <Row key={poolId} label={`${name} (${scope})`}>
            {fullUsd(amountUsd)}
          </Row>
        ))}
        <Row label="Charged" isStrong>
          {fullUsd(chargedUsd)}
        </Row>
        {isUncovered && (
          <>
            <Row label="Not collected">{fullUsd(uncollectedUsd)}</Row>
            <Text size="xs" c="dimmed">
              The pools did not have this much. You are not charged for it.
            </Text>
          </>
        )}
        <Text size="xs" c="dimmed">
          {Number(heldUsd) > 0
            ? `${fullUsd(heldUsd)} had been set aside while it ran, the most that it could have cost; ` +
              'the rest went back at once.'
            : 'Nothing had to be set aside for it.'}
        </Text>
      </Stack>
    </Panel>
  );
}

function Row({ label, isStrong, children }: { label: string; isStrong?: boolean; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap" align="baseline">
      <Text size="sm" fw={isStrong === true ? 600 : 400}>
        {label}
      </Text>
      <Text size="sm" fw={isStrong === true ? 600 : 400}>
        {children}
      </Text>
    </Group>
  );
}
