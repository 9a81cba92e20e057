import { NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { CreateKeyRequest, CreateKeyResponse, KeysResponse } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { DialogActions, Form } from '../../components/form.tsx';
import { Hint } from '../../components/hint.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { keysKey } from './use-keys.ts';

interface CreateKeyFormProps {
  seats: KeysResponse['seats'];
  onPending: (isPending: boolean) => void;
  onCreated: (created: CreateKeyResponse) => void;
  onCancel: () => void;
}

export function CreateKeyForm({ seats, onPending, onCreated, onCancel }: CreateKeyFormProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    fields: { name: '', seatId: '' },
    check: ({ name }) => ({ name: nameProblem(name, 'Give the key a name, such as that of the program.') }),
    send: async ({ name, seatId }) => {
      onPending(true);
      try {
        const request: CreateKeyRequest = { name: name.trim(), ...(seatId === '' ? {} : { seatId }) };
        onCreated(await postJson<CreateKeyResponse>('/api/keys', request));
      } finally {
        onPending(false);
        // Also after a failure: if only the response was lost, the user must see the new key to revoke it.
        void queryClient.invalidateQueries({ queryKey: keysKey });
      }
    },
  });
  return (
    <Form label="Create an API key" form={form}>
      <TextInput
        label="Name"
        description="Say where the key is used, so that you find it when you want to revoke it."
        placeholder="Support bot, production"
        required
        data-autofocus
        autoComplete="off"
        {...form.field('name')}
      />
      {seats.length > 0 && (
        <NativeSelect
          label="Billed to"
          description="Who pays for its requests. You cannot change this later."
          {...form.field('seatId')}
          data={[
            { value: '', label: 'Your account' },
            ...seats.map(({ id, teamName }) => ({ value: id, label: `Team ${teamName}` })),
          ]}
        />
      )}
      <Hint>The key is shown only once, in the next step. Have a safe place ready to store it.</Hint>
      <DialogActions form={form} submitLabel="Create key" onCancel={onCancel} />
    </Form>
  );
}
