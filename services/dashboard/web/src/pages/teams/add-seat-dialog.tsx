import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AddSeatAnswer, AddSeatRequest, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailProblem } from '../sign-in/credential-problems.ts';
import { useTeamChange } from './use-team-change.ts';

interface AddSeatDialogProps {
  team: Team;
  opened: boolean;
  onClose: () => void;
}

export function AddSeatDialog({ team, opened, onClose }: AddSeatDialogProps) {
  const [email, setEmail] = useState('');
  const [problems, setProblems] = useState<{ email?: string | undefined }>({});
  const add = useTeamChange(async (request: AddSeatRequest) => {
    await postJson<AddSeatAnswer>(`/api/teams/${encodeURIComponent(team.id)}/seats`, request);
    setEmail('');
    onClose();
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
        description="Of somebody who has an account here. They see the team the next time they look."
        placeholder="ada@example.com"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={problems.email}
      />
    </FormDialog>
  );
}
