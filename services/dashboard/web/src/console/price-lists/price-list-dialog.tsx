import { Textarea, TextInput } from '@mantine/core';
import { FormDialog } from '../../components/form-dialog.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useForm } from '../../components/use-form.ts';
import { readExceptions, type Terms } from './terms-text.ts';

interface PriceListDialogProps {
  title: string;
  /** Terms to begin with; left out: those of a new list, which needs a name. */
  current?: { factor: string; exceptions: string };
  send: (terms: Terms, name: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the terms of a version, and for the name of a new list. */
export function PriceListDialog({ title, current, send, onClose }: PriceListDialogProps) {
  const form = useForm({
    fields: { name: '', factor: current?.factor ?? '1.2', exceptions: current?.exceptions ?? '', from: '' },
    check: ({ exceptions, factor, name }) => ({
      name: current === undefined ? nameProblem(name, 'Enter a name.') : undefined,
      factor: /^\d{1,3}(\.\d{1,6})?$/.test(factor.trim()) ? undefined : 'Enter a number such as 1.2.',
      exceptions: readExceptions(exceptions) === undefined ? 'Enter a list in YAML, or nothing.' : undefined,
    }),
    send: async ({ exceptions, factor, from, name }) => {
      const models = readExceptions(exceptions) ?? [];
      const validFrom = from === '' ? {} : { valid_from: new Date(from).toISOString() };
      await send({ factor: factor.trim(), models, ...validFrom }, name.trim());
    },
  });
  return (
    <FormDialog opened title={title} submitLabel="Save" form={form} size="lg" onClose={onClose}>
      {current === undefined && (
        <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
      )}
      <TextInput
        label="Factor"
        description="Multiplies the prices of the catalog: 1.2 is 20 % more."
        inputMode="decimal"
        autoComplete="off"
        {...form.field('factor')}
      />
      <Textarea
        label="Exceptions"
        description="YAML. The first that matches a model counts."
        placeholder={'- model: "groq/*"\n  factor: "1"'}
        autosize
        minRows={3}
        maxRows={12}
        name="exceptions"
        value={form.values.exceptions}
        error={form.problems.exceptions}
        onChange={({ currentTarget }) => form.set({ exceptions: currentTarget.value })}
      />
      <TextInput
        label="Valid from"
        description="In your time zone. Empty: now."
        type="datetime-local"
        {...form.field('from')}
      />
    </FormDialog>
  );
}
