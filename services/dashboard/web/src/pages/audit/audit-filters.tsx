import { Group, NativeSelect, TextInput } from '@mantine/core';
import { ACTIONS_IN_ACCOUNTS, CATALOG_ACTIONS, FLEET_ACTIONS } from '@model-gateway/shared/audit-actions';
import type { ChangeOptions, QueryChange } from '../../components/use-address-query.ts';

const OUTCOMES = [
  { value: '', label: 'Any' },
  { value: 'done', label: 'Done' },
  { value: 'denied', label: 'Denied' },
];

interface AuditFiltersProps {
  address: URLSearchParams;
  change: (parts: QueryChange, options?: ChangeOptions) => void;
  /** E-mail addresses to offer. */
  people: readonly string[];
  /** True: events of all accounts. */
  isAll: boolean;
}

export function AuditFilters({ address, change, isAll, people }: AuditFiltersProps) {
  const field = (name: string) => ({
    autoComplete: 'off',
    value: address.get(name) ?? '',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ [name]: currentTarget.value }, { isTyping: true }),
  });
  return (
    <>
      <Group gap="sm" align="flex-end">
        <TextInput label="Action" placeholder="api_key.created" list="audit-actions" {...field('action')} />
        <TextInput label="Done by" placeholder="ada@example.com" list="audit-people" {...field('actor')} />
        {isAll && <TextInput label="Account" placeholder="Id or e-mail address" {...field('account')} />}
        <TextInput label="Object" placeholder="Id, such as key_…" {...field('object')} />
        <TextInput label="From" type="datetime-local" {...field('since')} />
        <TextInput label="Until" type="datetime-local" {...field('until')} />
        <NativeSelect
          label="Outcome"
          data={OUTCOMES}
          value={address.get('outcome') ?? ''}
          onChange={({ currentTarget }) => change({ outcome: currentTarget.value })}
        />
      </Group>
      <Choices
        id="audit-actions"
        values={isAll ? [...ACTIONS_IN_ACCOUNTS, ...CATALOG_ACTIONS, ...FLEET_ACTIONS] : ACTIONS_IN_ACCOUNTS}
      />
      <Choices id="audit-people" values={people} />
    </>
  );
}

/** Offers values for a text field that names this list. */
function Choices({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** Converts the filters in the address to a query of the server. Times in it are those of the viewer. */
export function auditQueryOf(address: URLSearchParams, isAll: boolean) {
  const text = (name: string) => address.get(name) ?? undefined;
  const time = (name: string) => {
    const ms = Date.parse(address.get(name) ?? '');
    return Number.isNaN(ms) ? undefined : ms;
  };
  return {
    action: text('action'),
    actor: text('actor'),
    object: text('object'),
    outcome: text('outcome'),
    sinceMs: time('since'),
    untilMs: time('until'),
    ...(isAll && { account: text('account') }),
  };
}
