import { TextInput } from '@mantine/core';
import type { AddSeatRequest, AddSeatResponse, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { emailProblem } from '../sign-in/credential-problems.ts';
import { useTeamRefetch } from './use-team-change.ts';

interface AddSeatDialogProps {
  team: Team;
  opened: boolean;
  onClose: () => void;
  /** For the owner's own address the seat exists at once, without an invitation. */
  onAdded: (response: AddSeatResponse) => void;
}

export function AddSeatDialog({ team, opened, onClose, onAdded }: AddSeatDialogProps) {
  const form = useForm({
    fields: { email: '' },
    check: ({ email }) => ({ email: emailProblem(email) }),
    send: useTeamRefetch(async ({ email }, set) => {
      const request: AddSeatRequest = { email: email.trim() };
      const path = `/api/teams/${encodeURIComponent(team.id)}/seats`;
      const response = await postJson<AddSeatResponse>(path, request);
      set({ email: '' });
      onClose();
      onAdded(response);
    }),
  });
  return (
    <FormDialog
      opened={opened}
      title={`Add a seat to ${team.name}`}
      submitLabel="Add seat"
      form={form}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        description={
          'They get the seat when they accept the invitation; they can create an account then. Your own ' +
          'address gets its seat at once.'
        }
        placeholder="ada@example.com"
        type="email"
        required
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
    </FormDialog>
  );
}
