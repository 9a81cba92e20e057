import { Group, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { useAddressQuery } from '../../components/use-address-query.ts';
import { capabilityName } from './capability-names.ts';
import type { GroupBy } from './group-models.ts';
import type { Model, ModelFilter } from './matching-models.ts';

/** Removes every filter from the address of the page. */
export const NO_FILTERS = { q: undefined, capability: undefined, provider: undefined, tier: undefined };

/** Reads filter and grouping from the query of the page's address. */
export function modelViewOf(query: URLSearchParams): { filter: ModelFilter; groupBy: GroupBy } {
  const filter = {
    text: query.get('q') ?? '',
    capability: query.get('capability') ?? '',
    provider: query.get('provider') ?? '',
    tier: query.get('tier') ?? '',
  };
  return { filter, groupBy: query.get('group') === 'capability' ? 'capability' : 'provider' };
}

interface ModelFiltersProps {
  models: readonly Model[];
  filter: ModelFilter;
  groupBy: GroupBy;
  change: ReturnType<typeof useAddressQuery>[1];
}

export function ModelFilters({ models, filter, groupBy, change }: ModelFiltersProps) {
  const capabilities = [...new Set(models.map(({ capability }) => capability))];
  const providers = [...new Set(models.map(({ owned_by }) => owned_by))].sort();
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        type="search"
        label="Search"
        placeholder="Name, id or provider"
        value={filter.text}
        leftSection={<IconSearch size={16} aria-hidden />}
        onChange={(event) => change({ q: event.currentTarget.value }, { isTyping: true })}
        flex={{ base: '1 1 100%', sm: '1 1 220px' }}
      />
      <Choice
        label="Capability"
        value={filter.capability}
        data={[
          { value: '', label: 'All' },
          ...capabilities.map((value) => ({ value, label: capabilityName(value) })),
        ]}
        onChange={(capability) => change({ capability })}
      />
      <Choice
        label="Provider"
        value={filter.provider}
        data={[{ value: '', label: 'All' }, ...providers.map((value) => ({ value, label: value }))]}
        onChange={(provider) => change({ provider })}
      />
      <Choice
        label="Price"
        value={filter.tier}
        data={[
          { value: '', label: 'Free and paid' },
          { value: 'free', label: 'Free' },
          { value: 'paid', label: 'Paid' },
        ]}
        onChange={(tier) => change({ tier })}
      />
      <Choice
        label="Group by"
        value={groupBy}
        data={[
          { value: 'provider', label: 'Provider' },
          { value: 'capability', label: 'Capability' },
        ]}
        onChange={(group) => change({ group: group === 'provider' ? undefined : group })}
      />
    </Group>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  data: { value: string; label: string }[];
  onChange: (value: string) => void;
}

function Choice({ onChange, ...props }: ChoiceProps) {
  return (
    <NativeSelect
      flex="1 1 130px"
      maw={{ sm: 170 }}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  );
}
