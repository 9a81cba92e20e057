import { NativeSelect, TextInput } from '@mantine/core';
import { changeManagement, type Managed } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';

interface RenameKeyDialogProps {
  /** The key with its version. */
  managed: Managed<'getKey'>;
  onClose: () => void;
}

export function RenameKeyDialog({ managed, onClose }: RenameKeyDialogProps) {
  const { id, name: current } = managed.body;
  const form = useForm({
    fields: { name: current },
    check: ({ name }) => ({ name: nameProblem(name, 'Enter a name.') }),
    send: async ({ name }) => {
      await changeManagement('changeKey', { path: { id }, body: { name: name.trim() } }, managed);
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog opened title="Rename this key" submitLabel="Save" form={form} onClose={onClose}>
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
    </FormDialog>
  );
}

interface RotateKeyDialogProps {
  id: string;
  onClose: () => void;
  onRotated: (made: { id: string; key: string }) => void;
}

export function RotateKeyDialog({ id, onClose, onRotated }: RotateKeyDialogProps) {
  const form = useForm({
    fields: { overlap: '86400' },
    check: () => ({}),
    send: async ({ overlap }) => {
      const body = { overlap_seconds: Number(overlap) };
      const { body: made } = await changeManagement('rotateKey', { path: { id }, body });
      await refreshManagement();
      onRotated(made);
    },
  });
  return (
    <FormDialog opened title="Replace this key" submitLabel="Replace key" form={form} onClose={onClose}>
      <NativeSelect
        label="The old key works"
        description="The new one has its name, rules, budgets, tags and cache."
        data={[
          { value: '0', label: 'No longer: it is refused at once' },
          { value: '3600', label: 'One more hour' },
          { value: '86400', label: 'One more day' },
          { value: '604800', label: 'One more week' },
        ]}
        {...form.field('overlap')}
      />
    </FormDialog>
  );
}
