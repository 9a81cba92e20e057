import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Hint } from '../../components/hint.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import {
  type CatalogText,
  entriesAt,
  lengthAt,
  type Path,
  textAt,
  withEntry,
  without,
} from './catalog-text.ts';
import type { Editing } from './editing.ts';
import { ModelFields, ProviderFields, VirtualModelFields } from './entry-fields.tsx';

const NEW_ENTRIES = {
  provider: { path: ['providers'], entry: { id: 'new', name: 'New provider', kind: 'openai-compatible' } },
  model: {
    path: ['models'],
    entry: { id: 'new/model', name: 'New model', description: '', capability: 'chat', tier: 'paid' },
  },
  'virtual model': {
    path: ['models'],
    entry: { kind: 'virtual', id: 'new/virtual', name: 'New virtual model', description: '', models: [] },
  },
} as const;
type EntryKind = keyof typeof NEW_ENTRIES;

/** Edits providers, models and virtual models of the catalog one by one. */
export function CatalogForm({ editing }: { editing: Editing }) {
  const [chosen, setChosen] = useState('providers.0');
  const entries = entriesOf(editing.catalog);
  const entry = entries.find(({ key }) => key === chosen) ?? entries[0];
  const add = (kind: EntryKind) => {
    const { entry: added, path } = NEW_ENTRIES[kind];
    setChosen(`${path[0]}.${lengthAt(editing.catalog, path)}`);
    editing.change((text) => withEntry(text, path, added));
  };
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Entry"
          value={entry?.key ?? ''}
          data={GROUPS.map((group) => ({
            group,
            items: entries
              .filter((each) => each.group === group)
              .map(({ id, key }) => ({ value: key, label: id })),
          }))}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        />
        {!editing.isReadOnly &&
          (Object.keys(NEW_ENTRIES) as EntryKind[]).map((kind) => (
            <Button
              key={kind}
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => add(kind)}
            >
              Add {kind}
            </Button>
          ))}
      </Group>
      {entry === undefined ? (
        <Hint>There is no entry yet.</Hint>
      ) : (
        <Stack gap="md" key={entry.key}>
          <Fields entry={entry} editing={editing} />
          {!editing.isReadOnly && (
            <Group justify="flex-end">
              <RemovalButton
                label={`Remove this entry, ${entry.id}`}
                onClick={() => editing.change((text) => without(text, entry.path))}
              >
                Remove this entry
              </RemovalButton>
            </Group>
          )}
        </Stack>
      )}
    </Stack>
  );
}

const GROUPS = ['Providers', 'Models', 'Virtual models'] as const;

interface Entry {
  key: string;
  id: string;
  group: (typeof GROUPS)[number];
  path: Path;
}

function entriesOf(catalog: CatalogText): Entry[] {
  const entry = (list: string, path: Path): Entry => {
    const isVirtual = textAt(catalog, [...path, 'kind']) === 'virtual';
    const group = list === 'providers' ? 'Providers' : isVirtual ? 'Virtual models' : 'Models';
    return { key: path.join('.'), id: textAt(catalog, [...path, 'id']), group, path };
  };
  return ['providers', 'models'].flatMap((list) =>
    entriesAt(catalog, [list]).map((path) => entry(list, path)),
  );
}

function Fields({ editing, entry: { group, path } }: { editing: Editing; entry: Entry }) {
  if (group === 'Providers') return <ProviderFields editing={editing} path={path} />;
  if (group === 'Models') return <ModelFields editing={editing} path={path} />;
  return <VirtualModelFields editing={editing} path={path} />;
}
