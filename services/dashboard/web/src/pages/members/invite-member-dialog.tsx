import { NativeSelect, TextInput } from '@mantine/core';
import type { InviteMemberRequest, InviteMemberResponse } from '../../../../wire/members.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { useMay } from '../../session/use-may.ts';
import { emailProblem } from '../sign-in/credential-problems.ts';
import { roleChoices } from './role-words.ts';
import { useMembersRefetch } from './use-members.ts';

interface InviteMemberDialogProps {
  opened: boolean;
  onClose: () => void;
  onInvited: (response: InviteMemberResponse) => void;
}

export function InviteMemberDialog({ opened, onClose, onInvited }: InviteMemberDialogProps) {
  const isOwner = useMay('owner');
  const form = useForm({
    fields: { email: '', role: 'developer' },
    check: ({ email }) => ({ email: emailProblem(email) }),
    send: useMembersRefetch(async ({ email, role }, set) => {
      const request = { email: email.trim(), role } satisfies Record<keyof InviteMemberRequest, string>;
      const response = await postJson<InviteMemberResponse>('/api/members', request);
      set({ email: '' });
      onClose();
      onInvited(response);
    }),
  });
  return (
    <FormDialog opened={opened} title="Invite a member" submitLabel="Invite" form={form} onClose={onClose}>
      <TextInput
        label="E-mail"
        description="They join by accepting the invitation. If they have no sign-in yet, they sign up first."
        placeholder="ada@example.com"
        type="email"
        required
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
      <NativeSelect label="Role" data={roleChoices(isOwner)} {...form.field('role')} />
    </FormDialog>
  );
}
