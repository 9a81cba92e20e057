import { Checkbox, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CreateAdminKeyRequest, CreateAdminKeyResponse } from '../../../../wire/admin-keys.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { useAdminKeysRefetch } from './use-admin-keys.ts';

interface CreateAdminKeyDialogProps {
  opened: boolean;
  /** Scopes that users may grant. */
  grantable: readonly string[];
  onClose: () => void;
  onCreated: (created: CreateAdminKeyResponse) => void;
}

export function CreateAdminKeyDialog({ opened, grantable, onClose, onCreated }: CreateAdminKeyDialogProps) {
  const [scopes, setScopes] = useState<string[]>([]);
  const form = useForm({
    fields: { name: '', networks: '', expiresAt: '', scopes: '' },
    check: ({ name, expiresAt }) => ({
      name: nameProblem(name, 'Give the key a name, such as that of the program.'),
      scopes: scopes.length === 0 ? 'Choose at least one.' : undefined,
      expiresAt: expiresAt !== '' && Date.parse(expiresAt) <= Date.now() ? 'Choose a later day.' : undefined,
    }),
    send: useAdminKeysRefetch(async ({ name, networks, expiresAt }, set) => {
      const request: CreateAdminKeyRequest = {
        name: name.trim(),
        scopes,
        networks: networks.split(/[\s,]+/).filter((network) => network !== ''),
        ...(expiresAt !== '' && { expiresAtMs: Date.parse(expiresAt) }),
      };
      const created = await postJson<CreateAdminKeyResponse>('/api/admin-keys', request);
      set({ name: '', networks: '', expiresAt: '' });
      setScopes([]);
      onClose();
      onCreated(created);
    }),
  });
  return (
    <FormDialog
      opened={opened}
      title="Create an admin key"
      submitLabel="Create admin key"
      form={form}
      size="lg"
      onClose={onClose}
    >
      <TextInput label="Name" required autoComplete="off" data-autofocus {...form.field('name')} />
      <Checkbox.Group
        label="Scopes"
        description="What the key may read or change in this account. Write includes read."
        required
        withAsterisk={false}
        value={scopes}
        onChange={setScopes}
        error={form.problems.scopes}
      >
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" mt="xs">
          {grantable.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <TextInput
        label="Networks"
        description="Addresses or networks of callers, such as 203.0.113.0/24. Empty: any."
        autoComplete="off"
        {...form.field('networks')}
      />
      <TextInput
        label="Works until"
        description="Empty: until you revoke it."
        type="datetime-local"
        {...form.field('expiresAt')}
      />
    </FormDialog>
  );
}
