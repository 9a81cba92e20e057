import type { ReactNode } from 'react';
import { Hint } from '../components/hint.tsx';
import { OperatorCommand } from '../components/operator-command.tsx';
import { useSession } from './use-session.ts';

interface OperatorHelpProps {
  /** The arguments of gatewayctl. */
  command: string;
  /** Replaces the command on a site that sells credit, whose visitors are customers. */
  forCustomers: ReactNode;
  children: ReactNode;
}

/** Says that only the operator can do this: with the command to send to them, or to customers without. */
export function OperatorHelp({ command, forCustomers, children }: OperatorHelpProps) {
  if (useSession().data?.sellsCredit) return <Hint>{forCustomers}</Hint>;
  return <OperatorCommand command={command}>{children}</OperatorCommand>;
}
