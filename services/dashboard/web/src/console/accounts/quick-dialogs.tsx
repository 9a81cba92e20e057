import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { BudgetWindow, Rules, RulesReport } from '@model-gateway/shared/rules';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { WINDOW_NAMES } from '../../pages/rules/rule-words.ts';
import { usdProblem } from '../../pages/rules/rules-draft.ts';
import { ownRules } from '../../pages/rules/rules-panels.tsx';

interface QuickDialogProps {
  report: RulesReport;
  save: (rules: Rules) => Promise<boolean>;
  onClose: () => void;
  onDone: (text: string, isConfirmed: boolean) => void;
}

const WINDOWS = ['day', 'week', 'month', 'total'] as const satisfies BudgetWindow[];

/** Sets the account's budget of a window, and leaves its other rules as they are. */
export function BudgetDialog({ report, save, onClose, onDone }: QuickDialogProps) {
  const form = useForm({
    fields: { usd: '', window: 'month' },
    check: ({ usd }) => ({ usd: usdProblem(usd) }),
    send: async ({ usd, window: chosen }) => {
      const window = WINDOWS.find((each) => each === chosen) ?? 'month';
      const rules = ownRules(report);
      const others = rules.budgets.filter((budget) => budget.window !== window);
      const budget = { usd: usd.trim(), window, on_exceed: 'block' as const };
      const isConfirmed = await save({ ...rules, budgets: [...others, budget] });
      onDone('The budget is set. Every request from now on must be within it.', isConfirmed);
    },
  });
  return (
    <FormDialog opened title="Set a budget" submitLabel="Set budget" form={form} onClose={onClose}>
      <TextInput
        label="Budget (USD)"
        description="All keys of the account together. What is spent in the period already counts."
        placeholder="100"
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
        {...form.field('usd')}
      />
      <NativeSelect
        label="Period"
        data={WINDOWS.map((value) => ({ value, label: WINDOW_NAMES[value] }))}
        {...form.field('window')}
      />
    </FormDialog>
  );
}

/** Sets which models the account may use, and leaves its other rules as they are. */
export function ModelsDialog({ report, save, onClose, onDone }: QuickDialogProps) {
  const form = useForm({
    fields: { models: (ownRules(report).models ?? []).join('\n') },
    check: () => ({}),
    send: async ({ models }) => {
      const listed = models.split(/[\s,]+/).filter((model) => model !== '');
      const isConfirmed = await save({ ...ownRules(report), models: listed.length === 0 ? null : listed });
      onDone(listed.length === 0 ? 'All models are allowed.' : 'Only these models are allowed.', isConfirmed);
    },
  });
  const { onChange: _, ...field } = form.field('models');
  return (
    <FormDialog opened title="Set the models" submitLabel="Set models" form={form} onClose={onClose}>
      <Textarea
        label="Allowed models"
        description="Ids or patterns such as openai/*, one a line. Empty: all models."
        autoComplete="off"
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        {...field}
        onChange={({ currentTarget }) => form.set({ models: currentTarget.value })}
      />
    </FormDialog>
  );
}
