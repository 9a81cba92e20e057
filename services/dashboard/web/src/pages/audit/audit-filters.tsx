import { Group, NativeSelect, TextInput } from '@mantine/core';
import { ACTIONS_IN_ACCOUNTS, CATALOG_ACTIONS, FLEET_ACTIONS } from '@model-gateway/shared/audit-actions';
import type { AuditEvent } from '../../../../wire/audit.ts';
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
  isAll?: boolean;
}

export function AuditFilters({ address, change, isAll = false, people }: AuditFiltersProps) {
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
        {isAll && <TextInput label="Account" placeholder="acct_…" {...field('account')} />}
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

/** Lists the e-mail addresses of those who did something, and of others. */
export function peopleOf(
  events: readonly AuditEvent[] = [],
  others: readonly (string | undefined)[] = [],
): string[] {
  const emails = [...others, ...events.map(({ actor }) => actor.email)];
  return [...new Set(emails.filter((email) => typeof email === 'string'))];
}

/** Returns the filters in the address. Times in it are those of the viewer. */
export function auditFilterOf(address: URLSearchParams) {
  const text = (name: string) => address.get(name) ?? undefined;
  const time = (name: string) => {
    const at = new Date(address.get(name) ?? '');
    return Number.isNaN(at.getTime()) ? undefined : at;
  };
  return {
    action: text('action'),
    actor: text('actor'),
    object: text('object'),
    outcome: text('outcome'),
    since: time('since'),
    until: time('until'),
  };
}
