import { Checkbox, SimpleGrid, TextInput, Title } from '@mantine/core';
import type { Rules } from '@model-gateway/shared/rules';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { useForm } from '../../components/use-form.ts';
import { AllowedFields } from './allowed-fields.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { draftOf, draftProblems, rulesOf, YES } from './rules-draft.ts';

interface RulesDialogProps {
  title: string;
  /** The rules to begin with. */
  rules: Rules;
  /** True: of end users, which have no limit of streams and no end. */
  isOfEndUsers: boolean;
  save: (rules: Rules) => Promise<void>;
  onClose: () => void;
}

/** Edits the rules of one owner; open while it is mounted. */
export function RulesDialog({ title, rules, isOfEndUsers, save, onClose }: RulesDialogProps) {
  const form = useForm<string>({
    fields: draftOf(rules),
    check: draftProblems,
    send: async (draft) => {
      await save(rulesOf(draft));
      onClose();
    },
  });
  return (
    <FormDialog opened title={title} submitLabel="Save rules" form={form} size="lg" onClose={onClose}>
      <Title order={3} size="h5">
        Budgets
      </Title>
      <Hint>Requests stop before a budget is exceeded. What is spent already keeps counting.</Hint>
      <BudgetFields form={form} />
      <Title order={3} size="h5">
        Allowed
      </Title>
      <AllowedFields form={form} />
      <Title order={3} size="h5">
        Limits
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <CountField label="Requests a minute" {...form.field('requests_per_minute')} />
        <CountField label="Tokens a minute" {...form.field('tokens_per_minute')} />
        {isOfEndUsers || <CountField label="Streams at a time" {...form.field('streams')} />}
      </SimpleGrid>
      {isOfEndUsers || (
        <TextInput
          label="Works until"
          description="In your time zone. Empty: no end."
          type="datetime-local"
          {...form.field('expires_at')}
        />
      )}
      <TextInput
        label="Required tags"
        description="Names, separated by commas. Requests without them are refused."
        placeholder="project, env"
        autoComplete="off"
        {...form.field('require_tags')}
      />
      <Checkbox
        label="Requests must name an end user"
        checked={form.values.require_end_user === YES}
        onChange={(event) => form.set({ require_end_user: event.currentTarget.checked ? YES : '' })}
      />
    </FormDialog>
  );
}

type CountFieldProps = { label: string } & ReturnType<ReturnType<typeof useForm<string>>['field']>;

function CountField(props: CountFieldProps) {
  return <TextInput placeholder="No limit" inputMode="numeric" autoComplete="off" {...props} />;
}
