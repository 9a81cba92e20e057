import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { CreateTeamRequest, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useTeamChange } from './use-team-change.ts';

export function CreateTeamDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [problems, setProblems] = useState<{ name?: string | undefined }>({});
  const create = useTeamChange(async (request: CreateTeamRequest) => {
    const team = await postJson<Team>('/api/teams', request);
    onClose();
    setName('');
    await navigate(`/dashboard/teams/${encodeURIComponent(team.id)}`);
  });

  function submit(): void {
    const found = { name: nameProblem(name, 'Give the team a name.') };
    setProblems(found);
    if (found.name === undefined) {
      create.run({ name: name.trim() });
    }
  }

  return (
    <FormDialog
      opened={opened}
      title="Create a team"
      submitLabel="Create team"
      action={create}
      problems={problems}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        name="name"
        description="You become its owner: you add seats and set the budget."
        placeholder="Search, Support, …"
        required
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems.name}
      />
    </FormDialog>
  );
}
