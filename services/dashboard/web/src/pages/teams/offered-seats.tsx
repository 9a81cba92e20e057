import { Button, Group, Stack, Text } from '@mantine/core';
import type { OfferedSeatEntry } from '../../../../wire/teams.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDate } from '../../format/format-time.ts';
import { useAcceptInvitation } from './use-accept-invitation.ts';

/** Shows the open invitations to the signed-in user's address. */
export function OfferedSeats({ offered }: { offered: readonly OfferedSeatEntry[] }) {
  const accept = useAcceptInvitation();
  if (offered.length === 0) return null;
  return (
    <Panel
      title="Invitations"
      description="Accept a seat, and the team pays for the keys that you create on it."
    >
      <ErrorNotice error={accept.error} />
      <Stack component="ul" className="plain-list" gap="sm" aria-label="Invitations">
        {offered.map(({ invitationId, teamName, expiresAtMs }) => (
          <Group key={invitationId} component="li" justify="space-between" gap="sm">
            <div>
              <Text fw={600} className="break-anywhere">
                {teamName}
              </Text>
              <Hint>Until {formatDate(expiresAtMs)}</Hint>
            </div>
            <Button
              loading={accept.isPending}
              aria-label={`Accept the invitation to ${teamName}`}
              onClick={() => accept.run({ invitationId })}
            >
              Accept
            </Button>
          </Group>
        ))}
      </Stack>
    </Panel>
  );
}
