import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { OperatorCommand } from '../components/operator-command.tsx';
import { BuyCredit } from './buy-credit.tsx';
import { useSession } from './use-session.ts';

interface MoreCreditProps {
  /** The arguments of gatewayctl with which an operator adds the credit. */
  command: string;
  /** Asks the reader to send the command to their operator. */
  children: ReactNode;
}

/** Shows how to get credit: a link to where the seller sells it, else the command for the operator. */
export function MoreCredit({ command, children }: MoreCreditProps) {
  const creditUrl = useSession().data?.creditUrl;
  if (creditUrl == null) return <OperatorCommand command={command}>{children}</OperatorCommand>;
  return (
    <Stack gap={6} role="note" align="flex-start">
      <Text size="sm" c="dimmed">
        Paid models need credit. The credit that you buy becomes a pool of your account.
      </Text>
      <BuyCredit />
    </Stack>
  );
}
