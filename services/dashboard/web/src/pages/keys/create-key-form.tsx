import { NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { CreateKeyRequest, CreateKeyResponse, KeysResponse } from '../../../../wire/keys.ts';
import { postJson } from '../../api/client.ts';
import { DialogActions, Form } from '../../components/form.tsx';
import { Hint } from '../../components/hint.tsx';
import { CACHE_OFF, CacheField, cacheOf } from '../../components/key-cache.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { WINDOW_CHOICES } from '../rules/rule-words.ts';
import { newKeyRules, usdProblem } from '../rules/rules-draft.ts';
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
    fields: { name: '', seatId: '', usd: '', window: 'month', models: '', expiresAt: '', cache: CACHE_OFF },
    check: ({ name, usd }) => ({
      name: nameProblem(name, 'Give the key a name, such as that of the program.'),
      usd: usd.trim() === '' ? undefined : usdProblem(usd),
    }),
    send: async ({ cache, name, seatId, ...limits }) => {
      onPending(true);
      try {
        const rules = newKeyRules(limits);
        const directives = cacheOf(cache);
        const request: CreateKeyRequest = {
          name: name.trim(),
          ...(seatId === '' ? {} : { seatId }),
          ...(rules === undefined ? {} : { rules }),
          ...(directives === null ? {} : { cache: directives }),
        };
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
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Budget"
          placeholder="No budget"
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          {...form.field('usd')}
        />
        <NativeSelect label="Budget period" data={WINDOW_CHOICES} {...form.field('window')} />
      </SimpleGrid>
      <Textarea
        label="Models"
        description="Ids, one per line; * stands for any characters. Empty: all models."
        placeholder="anthropic/*"
        rows={2}
        spellCheck={false}
        name="models"
        value={form.values.models}
        onChange={(event) => form.set({ models: event.currentTarget.value })}
      />
      <TextInput
        label="Works until"
        description="In your time zone. Empty: no end."
        type="datetime-local"
        {...form.field('expiresAt')}
      />
      <CacheField field={form.field('cache')} />
      <Hint>You can change budget, models, end and cache later, on the page of the key.</Hint>
      <Hint>The key is shown only once, in the next step. Have a safe place ready to store it.</Hint>
      <DialogActions form={form} submitLabel="Create key" onCancel={onCancel} />
    </Form>
  );
}
