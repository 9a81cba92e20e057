import { Alert, Button, Group, Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import type { OfferedAccount } from '../../../wire/members.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatDate } from '../format/format-time.ts';
import { useAcceptMembership } from '../pages/members/use-accept-membership.ts';
import { useSession } from '../session/use-session.ts';

/** Shows the invitations to accounts that the user's verified address has. */
export function OfferedAccounts() {
  const offered = useSession().data?.user?.offered ?? [];
  return offered.map((offer) => <Offer key={offer.invitationId} offer={offer} />);
}

function Offer({ offer }: { offer: OfferedAccount }) {
  const accept = useAcceptMembership(() => undefined);
  const { accountName, expiresAtMs, invitationId, role } = offer;
  return (
    <Alert mb="lg" icon={<IconMail aria-hidden />} title={`You are invited to ${accountName}`}>
      <Text size="sm">
        Your role there would be {role}. The invitation ends on {formatDate(expiresAtMs)}.
      </Text>
      <ErrorNotice error={accept.error} />
      <Group mt="sm">
        <Button size="xs" loading={accept.isPending} onClick={() => accept.run({ invitationId })}>
          Accept
        </Button>
      </Group>
    </Alert>
  );
}
