import { NativeSelect, Text } from '@mantine/core';
import type { MemberEntry } from '../../../../wire/members.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { useForm } from '../../components/use-form.ts';
import { useMay } from '../../session/use-may.ts';
import { roleChoices } from './role-words.ts';
import { useMembersRefetch } from './use-members.ts';

interface ChangeRoleDialogProps {
  /** Null: closed. */
  member: MemberEntry | null;
  onClose: () => void;
}

export function ChangeRoleDialog({ member, onClose }: ChangeRoleDialogProps) {
  const isOwner = useMay('owner');
  const form = useForm({
    fields: { role: String(member?.role) },
    check: () => ({}),
    send: useMembersRefetch(async ({ role }) => {
      await postJson<undefined>(`/api/members/${encodeURIComponent(member?.id ?? '')}/role`, { role });
      onClose();
    }),
  });
  return (
    <FormDialog
      opened={member !== null}
      title="Change the role"
      submitLabel="Change role"
      form={form}
      onClose={onClose}
    >
      <Text size="sm" className="break-anywhere">
        {member?.email}
      </Text>
      <NativeSelect label="Role" data={roleChoices(isOwner)} data-autofocus {...form.field('role')} />
      <Hint>With a role below admin, the open invitations that they made are withdrawn.</Hint>
    </FormDialog>
  );
}
