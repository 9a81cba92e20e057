import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SetTeamLimitRequest, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { useForm } from '../../components/use-form.ts';
import { formatCount } from '../../format/format-count.ts';
import { readRequestsPerMinute } from './read-requests-per-minute.ts';
import { useManages } from './use-manages.ts';
import { useTeamRefetch } from './use-team-change.ts';

/** Shows the rate limit that all keys of the team share. */
export function TeamLimitPanel({ team }: { team: Team }) {
  const manages = useManages(team);
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel
      title="Rate limit"
      description="For all keys on the team’s seats together."
      actions={
        manages && (
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            Change
          </Button>
        )
      }
    >
      <Text fz={24} fw={700} lh={1.2}>
        {formatCount(team.requestsPerMinute)}{' '}
        <Text span size="sm" fw={400} c="dimmed">
          requests a minute
        </Text>
      </Text>
      <LimitDialog team={team} opened={isEditing} onClose={() => setEditing(false)} />
    </Panel>
  );
}

function LimitDialog({ team, opened, onClose }: { team: Team; opened: boolean; onClose: () => void }) {
  const current = { requestsPerMinute: String(team.requestsPerMinute) };
  const form = useForm({
    fields: current,
    check: ({ requestsPerMinute: text }) => ({
      requestsPerMinute:
        readRequestsPerMinute(text) === undefined ? 'Enter a whole number of at least 1.' : undefined,
    }),
    send: useTeamRefetch(async ({ requestsPerMinute: text }) => {
      const request: SetTeamLimitRequest = { requestsPerMinute: readRequestsPerMinute(text) ?? 0 };
      await postJson<undefined>(`/api/teams/${encodeURIComponent(team.id)}/limit`, request);
      onClose();
    }),
  });
  return (
    <FormDialog
      opened={opened}
      title="Change the rate limit"
      submitLabel="Save"
      form={form}
      onClose={() => {
        form.set(current);
        onClose();
      }}
    >
      <TextInput
        label="Requests a minute"
        description="Takes effect within seconds. Requests above it get status 429 and a Retry-After header."
        required
        inputMode="numeric"
        autoComplete="off"
        data-autofocus
        {...form.field('requestsPerMinute')}
      />
    </FormDialog>
  );
}
