import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AddSeatRequest, AddSeatResponse, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailProblem } from '../sign-in/credential-problems.ts';
import { useTeamChange } from './use-team-change.ts';

interface AddSeatDialogProps {
  team: Team;
  opened: boolean;
  onClose: () => void;
  /** For the owner's own address the seat exists at once, without an invitation. */
  onAdded: (answer: AddSeatResponse) => void;
}

export function AddSeatDialog({ team, opened, onClose, onAdded }: AddSeatDialogProps) {
  const [email, setEmail] = useState('');
  const [problems, setProblems] = useState<{ email?: string | undefined }>({});
  const add = useTeamChange(async (request: AddSeatRequest) => {
    const path = `/api/teams/${encodeURIComponent(team.id)}/seats`;
    const answer = await postJson<AddSeatResponse>(path, request);
    setEmail('');
    onClose();
    onAdded(answer);
  });

  function submit(): void {
    const found = { email: emailProblem(email) };
    setProblems(found);
    if (found.email === undefined) {
      add.run({ email: email.trim() });
    }
  }

  return (
    <FormDialog
      opened={opened}
      title={`Add a seat to ${team.name}`}
      submitLabel="Add seat"
      action={add}
      problems={problems}
      onSubmit={submit}
      onClose={() => {
        setProblems({});
        onClose();
      }}
    >
      <TextInput
        label="E-mail"
        name="email"
        description={
          'They get an invitation, and the seat when they accept it; they can create an account then. Your ' +
          'own address gets its seat at once.'
        }
        placeholder="ada@example.com"
        type="email"
        required
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={problems.email}
      />
    </FormDialog>
  );
}
