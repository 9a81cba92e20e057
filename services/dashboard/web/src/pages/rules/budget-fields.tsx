import { Button, Fieldset, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type RefObject, useEffect, useRef } from 'react';
import type { useForm } from '../../components/use-form.ts';
import { WINDOW_CHOICES } from './rule-words.ts';
import { budgetCount, MAX_BUDGETS, withNewBudget, withoutBudget } from './rules-draft.ts';

export type DraftForm = Pick<ReturnType<typeof useForm<string>>, 'values' | 'set' | 'field'>;

/** Shows the budgets of a form of rules, and a button for another one. */
export function BudgetFields({ form }: { form: DraftForm }) {
  const count = budgetCount(form.values);
  return (
    <Stack gap="md" ref={useFocusOnChange(count)}>
      {Array.from({ length: count }, (_, index) => (
        <BudgetFieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: fields are named by their index
          key={index}
          form={form}
          index={index}
        />
      ))}
      {count < MAX_BUDGETS && (
        <Group>
          <Button
            variant="default"
            size="xs"
            data-autofocus={count === 0 || undefined}
            data-adds
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.set(withNewBudget(form.values))}
          >
            Add a budget
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Returns a ref for the budgets. Focuses a new one, or after a removal the button for another one. */
function useFocusOnChange(count: number): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  const before = useRef(count);
  useEffect(() => {
    if (count === before.current) return;
    const focused = count > before.current ? `[name="budgets[${count - 1}].usd"]` : '[data-adds]';
    list.current?.querySelector<HTMLElement>(focused)?.focus();
    before.current = count;
  }, [count]);
  return list;
}

function BudgetFieldset({ form, index }: { form: DraftForm; index: number }) {
  const field = (name: string) => form.field(`budgets[${index}].${name}`);
  return (
    <Fieldset legend={`Budget ${index + 1}`}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label="Amount"
          placeholder="25.00"
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          required
          data-autofocus={index === 0 || undefined}
          {...field('usd')}
        />
        <NativeSelect label="Period" data={WINDOW_CHOICES} {...field('window')} />
        <NativeSelect
          label="When used up"
          data={[
            { value: 'block', label: 'Refuse requests' },
            { value: 'warn', label: 'Only warn' },
          ]}
          {...field('on_exceed')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm">
        <TextInput
          label="Temporary amount"
          placeholder="None"
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          {...field('temporary_usd')}
        />
        <TextInput label="Temporary until" type="datetime-local" {...field('temporary_until')} />
        <Group justify="flex-end" align="flex-end">
          <Button
            variant="subtle"
            color="red"
            aria-label={`Remove budget ${index + 1}`}
            onClick={() => form.set(withoutBudget(form.values, index))}
          >
            Remove
          </Button>
        </Group>
      </SimpleGrid>
    </Fieldset>
  );
}
