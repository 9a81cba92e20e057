import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatFullUsd } from './exact-usd.ts';

/** Shows which pools were charged. */
export function PaymentPanel({ receipt }: { receipt: ReceiptResponse }) {
  const { debits, chargedUsd, uncollectedUsd, heldUsd } = receipt;
  const isUncovered = Number(uncollectedUsd) > 0;
  return (
    <Panel title="Who paid" description="Pools are charged in order; the next one pays when one is empty.">
      <Stack gap="xs">
        {debits.length === 0 && <Hint>No pool was charged.</Hint>}
        {debits.map(({ poolId, name, scope, amountUsd }) => (
          <Row key={poolId} label={`${name} (${scope})`}>
            {formatFullUsd(amountUsd)}
          </Row>
        ))}
        <Row label="Charged" isStrong>
          {formatFullUsd(chargedUsd)}
        </Row>
        {isUncovered && (
          <>
            <Row label="Not collected">{formatFullUsd(uncollectedUsd)}</Row>
            <Text size="xs" c="dimmed">
              The pools did not have this much. You are not charged for it.
            </Text>
          </>
        )}
        <Text size="xs" c="dimmed">
          {Number(heldUsd) > 0
            ? `The maximum cost, ${formatFullUsd(heldUsd)}, was reserved while the request ran. The rest was then released.`
            : 'Nothing was reserved for this request.'}
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
