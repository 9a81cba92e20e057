import { TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import type { CreateTeamRequest, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { useTeamRefetch } from './use-team-change.ts';

export function CreateTeamDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    fields: { name: '' },
    check: ({ name }) => ({ name: nameProblem(name, 'Give the team a name.') }),
    send: useTeamRefetch(async ({ name }, set) => {
      const request: CreateTeamRequest = { name: name.trim() };
      const team = await postJson<Team>('/api/teams', request);
      onClose();
      set({ name: '' });
      await navigate(`/dashboard/teams/${encodeURIComponent(team.id)}`);
    }),
  });
  return (
    <FormDialog opened={opened} title="Create a team" submitLabel="Create team" form={form} onClose={onClose}>
      <TextInput
        label="Name"
        description="You become its owner: you add seats and set the budget."
        placeholder="Search, Support, …"
        required
        data-autofocus
        autoComplete="off"
        {...form.field('name')}
      />
    </FormDialog>
  );
}
