import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useSession } from '../../session/use-session.ts';
import { useTeams } from '../teams/use-teams.ts';
import { AdviceNotice } from './advice-notice.tsx';
import { adviseOnMoney, canPay } from './advise-on-money.ts';

/** Warns before the first message if nobody can pay for the chosen model, and shows what to do. */
export function UnpaidNotice({ isPaid, seatId }: { isPaid: boolean; seatId: string | undefined }) {
  const sellsCredit = useSession().data?.sellsCredit;
  const teams = useTeams(isPaid).data;
  if (!isPaid || canPay(teams, seatId)) return null;
  return (
    <Alert
      icon={<IconInfoCircle aria-hidden />}
      radius="md"
      mb="md"
      role="note"
      title="No balance for this model"
    >
      <AdviceNotice advice={adviseOnMoney(teams, seatId, sellsCredit)} />
    </Alert>
  );
}
