import { Badge, Button, CloseButton, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import type { QueryChange } from '../../components/use-address-query.ts';
import { addressOf, chipsOf, FIELDS, SPANS } from './request-filters.ts';

interface FilterBarProps {
  address: URLSearchParams;
  change: (parts: QueryChange) => void;
  /** Values of a field in the rows shown, as suggestions. */
  valuesOf: (field: string) => string[];
}

/** Adds and removes filters, which are saved in the address. */
export function FilterBar({ address, change, valuesOf }: FilterBarProps) {
  const [name, setName] = useState('status');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string>();
  const suggestions = useId();
  const field = FIELDS.find((each) => each.name === name);
  const chips = chipsOf(address);
  function add(event: FormEvent): void {
    event.preventDefault();
    const added = addressOf(name, field?.options === undefined ? value : value || (field.options[0] ?? ''));
    if ('problem' in added) {
      setProblem(added.problem);
      return;
    }
    setValue('');
    change({ [added.name]: added.value });
  }
  function choose(next: string): void {
    setName(next);
    setValue('');
    setProblem(undefined);
  }
  return (
    <Stack gap="sm">
      <form onSubmit={add}>
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Filter by"
            data={FIELDS.map((each) => ({ value: each.name, label: each.label }))}
            value={name}
            onChange={(event) => choose(event.currentTarget.value)}
          />
          {field?.options === undefined ? (
            <TextInput
              label="Value"
              value={value}
              placeholder={field?.placeholder}
              error={problem}
              list={suggestions}
              onChange={(event) => {
                setValue(event.currentTarget.value);
                setProblem(undefined);
              }}
            />
          ) : (
            <NativeSelect
              label="Value"
              data={[...field.options]}
              value={value || field.options[0]}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          )}
          <datalist id={suggestions}>
            {valuesOf(name).map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
          <Button type="submit" variant="default">
            Add filter
          </Button>
          <PeriodFields address={address} change={change} />
        </Group>
      </form>
      {chips.length > 0 && (
        <Group gap="xs" role="list" aria-label="Filters">
          {chips.map((chip) => (
            <Badge
              key={chip.name}
              role="listitem"
              variant="light"
              size="lg"
              tt="none"
              maw="100%"
              rightSection={
                <CloseButton
                  size="sm"
                  aria-label={`Remove the filter ${chip.text}`}
                  onClick={() => change({ [chip.name]: undefined })}
                />
              }
            >
              {chip.text}
            </Badge>
          ))}
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => change(Object.fromEntries(chips.map((chip) => [chip.name, undefined])))}
          >
            Remove all
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const PERIODS = [
  { value: '', label: 'All' },
  ...Object.entries(SPANS).map(([value, { label }]) => ({ value, label })),
  { value: 'custom', label: 'From … to' },
];

function PeriodFields({ address, change }: Pick<FilterBarProps, 'address' | 'change'>) {
  const hasTimes = address.has('from') || address.has('to');
  const [isCustom, setCustom] = useState(hasTimes);
  function choose(period: string): void {
    setCustom(period === 'custom');
    const last = period === 'custom' ? undefined : period;
    change({ last, from: undefined, to: undefined });
  }
  return (
    <>
      <NativeSelect
        label="Period"
        data={PERIODS}
        value={isCustom || hasTimes ? 'custom' : (address.get('last') ?? '')}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {(isCustom || hasTimes) &&
        (['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="datetime-local"
            label={name === 'from' ? 'From' : 'To'}
            value={localTime(address.get(name))}
            onChange={(event) => {
              const ms = Date.parse(event.currentTarget.value);
              change({ [name]: Number.isNaN(ms) ? undefined : new Date(ms).toISOString() });
            }}
          />
        ))}
    </>
  );
}

/** Returns a time in the reader's zone, as a field for times takes it. */
function localTime(text: string | null): string {
  const ms = Date.parse(text ?? '');
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
