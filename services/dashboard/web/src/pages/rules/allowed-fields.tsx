import { Checkbox, Group, Stack, Textarea } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { CAPABILITIES, capabilityName } from '../models/capability-names.ts';
import type { DraftForm } from './budget-fields.tsx';
import { type ListName, YES } from './rules-draft.ts';

/** Shows which models, providers, endpoints and networks a form of rules allows. */
export function AllowedFields({ form }: { form: DraftForm }) {
  return (
    <>
      <ListField
        form={form}
        name="models"
        box="Only these models"
        label="Allowed models"
        description="Ids, one per line; * stands for any characters. An empty list allows no model."
        placeholder="anthropic/*"
      />
      <ListField
        form={form}
        name="providers"
        box="Only these providers"
        label="Allowed providers"
        description="Ids, one per line."
        placeholder="openai"
      />
      <RestrictBox form={form} name="endpoints" label="Only these endpoints">
        <Endpoints form={form} />
      </RestrictBox>
      <ListField
        form={form}
        name="networks"
        box="Only these networks"
        label="Allowed networks"
        description="Networks or addresses of clients, one per line."
        placeholder="203.0.113.0/24"
      />
    </>
  );
}

interface ListFieldProps {
  form: DraftForm;
  name: ListName;
  /** The label of the box that restricts at all. */
  box: string;
  label: string;
  description: string;
  placeholder: string;
}

function ListField({ form, name, box, ...field }: ListFieldProps) {
  const { onChange: _, ...state } = form.field(name);
  return (
    <RestrictBox form={form} name={name} label={box}>
      <Textarea
        {...field}
        {...state}
        rows={3}
        spellCheck={false}
        onChange={(event: ChangeEvent<HTMLTextAreaElement>) =>
          form.set({ [name]: event.currentTarget.value })
        }
      />
    </RestrictBox>
  );
}

interface RestrictBoxProps {
  form: DraftForm;
  name: ListName;
  label: string;
  children: React.ReactNode;
}

/** Shows a box, and below it what is allowed once the box is checked. */
function RestrictBox({ form, name, label, children }: RestrictBoxProps) {
  const box = `${name}.restricted`;
  const isRestricted = form.values[box] === YES;
  return (
    <Stack gap="xs">
      <Checkbox
        label={label}
        checked={isRestricted}
        onChange={(event) => form.set({ [box]: event.currentTarget.checked ? YES : '' })}
      />
      {isRestricted && children}
    </Stack>
  );
}

function Endpoints({ form }: { form: DraftForm }) {
  const allowed = (form.values.endpoints ?? '').split('\n').filter(Boolean);
  return (
    <Checkbox.Group
      aria-label="Allowed endpoints"
      value={allowed}
      onChange={(names: string[]) => form.set({ endpoints: names.join('\n') })}
    >
      <Group gap="md">
        {CAPABILITIES.map((name) => (
          <Checkbox key={name} value={name} label={capabilityName(name)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
