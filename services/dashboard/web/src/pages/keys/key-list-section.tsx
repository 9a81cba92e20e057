import { Alert, Button, Group, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconInfoCircle, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyEntry } from '../../../../wire/keys.ts';
import { Hint } from '../../components/hint.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { countOf } from '../../format/format-count.ts';
import { KEY_ORDERS, type KeyState, type KeyView, keyViewOf, shownKeys, withoutSecrets } from './key-list.ts';
import { KeyTable } from './key-table.tsx';

/** Shows search and filters above this number of keys. */
const MANY = 8;
/** Thousands of rows would make the page slow. */
const SHOWN_AT_FIRST = 50;
const ORDERS = Object.entries(KEY_ORDERS).map(([value, label]) => ({ value, label }));
const NO_FILTERS = { q: undefined, show: undefined, sort: undefined };

interface KeyListSectionProps {
  keys: readonly KeyEntry[];
  onRevoke: (key: KeyEntry) => void;
}

/** Shows the keys, with a search and filters if there are many. */
export function KeyListSection({ keys, onRevoke }: KeyListSectionProps) {
  const [query, change] = useAddressQuery();
  const [isWhole, setWhole] = useState(false);
  const view = keyViewOf(query);
  const found = shownKeys(keys, view);
  const shown = isWhole ? found : found.slice(0, SHOWN_AT_FIRST);
  // A link may contain a filter even if there are few keys.
  const isPart = view.text !== '' || view.state !== 'all';
  return (
    <>
      {keys.every(({ kind }) => kind === 'demo') && (
        <Alert icon={<IconInfoCircle aria-hidden />} radius="md" role="note">
          These keys are demo data: they belong to made-up usage and do not work. Create your own key to
          begin.
        </Alert>
      )}
      {(keys.length > MANY || isPart) && (
        <>
          <KeyFilters view={view} change={change} />
          <Group gap="xs">
            <Hint role="status">
              {isPart ? `${found.length} of ${countOf(keys.length, 'key')}` : countOf(keys.length, 'key')}
            </Hint>
            {isPart && (
              <Button variant="subtle" size="compact-sm" onClick={() => change(NO_FILTERS)}>
                Show all keys
              </Button>
            )}
          </Group>
        </>
      )}
      {found.length === 0 && <Text c="dimmed">No key matches.</Text>}
      {shown.length > 0 && <KeyTable keys={shown} onRevoke={onRevoke} />}
      {found.length > shown.length && (
        <Button variant="default" onClick={() => setWhole(true)} style={{ alignSelf: 'center' }}>
          Show all {found.length}
        </Button>
      )}
    </>
  );
}

interface KeyFiltersProps {
  view: KeyView;
  change: ReturnType<typeof useAddressQuery>[1];
}

function KeyFilters({ view: { text, state, order }, change }: KeyFiltersProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        type="search"
        label="Search"
        placeholder="Name, beginning of the key, or team"
        value={text}
        leftSection={<IconSearch size={16} aria-hidden />}
        onChange={(event) => change({ q: withoutSecrets(event.currentTarget.value) }, { isTyping: true })}
        flex={{ base: '1 1 100%', sm: '1 1 260px' }}
      />
      <NativeSelect
        label="Sort"
        data={ORDERS}
        value={order}
        onChange={({ currentTarget: { value } }) => change({ sort: value === 'created' ? undefined : value })}
      />
      <SegmentedControl<KeyState>
        aria-label="Which keys"
        value={state}
        onChange={(value) => change({ show: value === 'all' ? undefined : value })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'active', label: 'Active' },
          { value: 'revoked', label: 'Revoked' },
        ]}
      />
    </Group>
  );
}
