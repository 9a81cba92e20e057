import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SetTeamLimitRequest, Team } from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCount } from '../../format/format-count.ts';
import { readRequestsPerMinute } from './read-requests-per-minute.ts';
import { useTeamChange } from './use-team-change.ts';

/** Shows the rate limit that all keys of the team share. */
export function TeamLimitPanel({ team }: { team: Team }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel
      title="Rate limit"
      description="For all keys on the team’s seats together."
      actions={
        team.role === 'owner' && (
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
  const [text, setText] = useState(String(team.requestsPerMinute));
  const [problems, setProblems] = useState<{ limit?: string | undefined }>({});
  const change = useTeamChange(async (request: SetTeamLimitRequest) => {
    await postJson<undefined>(`/api/teams/${encodeURIComponent(team.id)}/limit`, request);
    onClose();
  });

  function submit(): void {
    const requestsPerMinute = readRequestsPerMinute(text);
    setProblems({
      limit: requestsPerMinute === undefined ? 'Enter a whole number of at least 1.' : undefined,
    });
    if (requestsPerMinute !== undefined) {
      change.run({ requestsPerMinute });
    }
  }

  return (
    <FormDialog
      opened={opened}
      title="Change the rate limit"
      submitLabel="Save"
      action={change}
      problems={problems}
      onSubmit={submit}
      onClose={() => {
        setText(String(team.requestsPerMinute));
        setProblems({});
        onClose();
      }}
    >
      <TextInput
        label="Requests a minute"
        name="requestsPerMinute"
        description="Takes effect within seconds. Requests above it get status 429 and a Retry-After header."
        required
        inputMode="numeric"
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={problems.limit}
      />
    </FormDialog>
  );
}
