import { Text } from '@mantine/core';
import type { MemberEntry, RemoveMemberResponse } from '../../../../wire/members.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useMembersRefetch } from './use-members.ts';

interface RemoveMemberDialogProps {
  /** Null: closed. */
  member: MemberEntry | null;
  onClose: () => void;
  onRemoved: (member: MemberEntry, response: RemoveMemberResponse) => void;
}

/** Asks, then removes a member or withdraws an invitation. */
export function RemoveMemberDialog({ member, onClose, onRemoved }: RemoveMemberDialogProps) {
  const remove = useAction(
    useMembersRefetch(async (target: MemberEntry) => {
      const path = `/api/members/${encodeURIComponent(target.id)}/remove`;
      const response = await postJson<RemoveMemberResponse>(path);
      onClose();
      onRemoved(target, response);
    }),
  );
  const isInvitation = member?.status === 'invited';
  return (
    <ConfirmDialog
      subject={member}
      title={isInvitation ? 'Withdraw this invitation?' : 'Remove this member?'}
      confirmLabel={isInvitation ? 'Withdraw' : 'Remove member'}
      action={remove}
      onClose={onClose}
    >
      {({ email, status }) => (
        <>
          <Text className="break-anywhere">
            <strong>{email}</strong>
          </Text>
          <Text>
            {status === 'invited'
              ? 'The link stops working.'
              : 'The account is closed to them. The keys that they made are revoked: programs that use them stop working at once. The open invitations that they made are withdrawn.'}
          </Text>
        </>
      )}
    </ConfirmDialog>
  );
}
