import { PasswordInput, Text, TextInput } from '@mantine/core';
import { changeManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';

interface SetCredentialDialogProps {
  /** Null: closed; empty: the user types the name. */
  name: string | null;
  onClose: () => void;
}

/** Stores a credential, which nobody can read again. Give it a key, so that the value is forgotten. */
export function SetCredentialDialog({ name, onClose }: SetCredentialDialogProps) {
  const form = useForm({
    fields: { name: name ?? '', value: '' },
    check: ({ name, value }) => ({
      name: name.trim() === '' ? 'Enter the name that the catalog uses.' : undefined,
      value: value === '' ? 'Enter the value.' : undefined,
    }),
    send: async ({ name, value }) => {
      await changeManagement('setCredential', { path: { name: name.trim() }, body: { value } });
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog
      opened={name !== null}
      title={name === '' ? 'Store a credential' : `Set ${name}`}
      submitLabel="Store"
      form={form}
      onClose={onClose}
    >
      <Text size="sm">
        Data planes use it within seconds, before a variable of the same name. It is stored encrypted, and
        cannot be shown again.
      </Text>
      {name === '' && (
        <TextInput label="Name" description="As in credential_env of the catalog." {...form.field('name')} />
      )}
      <PasswordInput label="Value" autoComplete="off" data-autofocus {...form.field('value')} />
    </FormDialog>
  );
}
