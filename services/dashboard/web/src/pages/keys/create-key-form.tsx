import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateKeyRequest, CreateKeyResponse, KeysResponse } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useFormFocus } from '../../components/use-form-focus.ts';
import { keysKey } from './use-keys.ts';

interface CreateKeyFormProps {
  seats: KeysResponse['seats'];
  onPending: (isPending: boolean) => void;
  onCreated: (created: CreateKeyResponse) => void;
  onCancel: () => void;
}

export function CreateKeyForm({ seats, onPending, onCreated, onCancel }: CreateKeyFormProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [seatId, setSeatId] = useState('');
  const [problems, setProblems] = useState<{ name?: string | undefined }>({});
  const create = useAction(async () => {
    onPending(true);
    try {
      const request: CreateKeyRequest = { name: name.trim(), ...(seatId === '' ? {} : { seatId }) };
      onCreated(await postJson<CreateKeyResponse>('/api/keys', request));
    } finally {
      onPending(false);
      // Also after a failure: if only the response was lost, the user must see the new key to revoke it.
      void queryClient.invalidateQueries({ queryKey: keysKey });
    }
  });
  const form = useFormFocus(problems, create.error);

  function submit(): void {
    const found = {
      name: nameProblem(name, 'Give the key a name, such as that of the program.'),
    };
    setProblems(found);
    if (found.name === undefined) {
      create.run();
    }
  }

  return (
    <form
      ref={form}
      noValidate
      aria-label="Create an API key"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          name="name"
          description="Name the place where it is used, so that you find it when you want to revoke it."
          placeholder="Support bot, production"
          required
          data-autofocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problems.name}
        />
        {seats.length > 0 && (
          <NativeSelect
            label="Billed to"
            name="seatId"
            description="Pays for its requests. You cannot change this later."
            value={seatId}
            onChange={(event) => setSeatId(event.currentTarget.value)}
            data={[
              { value: '', label: 'You' },
              ...seats.map(({ id, teamName }) => ({ value: id, label: `Team ${teamName}` })),
            ]}
          />
        )}
        <Text size="sm" c="dimmed">
          The key is shown only once, in the next step. Have a safe place ready to store it.
        </Text>
        {create.error !== undefined && <ErrorNotice error={create.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={create.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
