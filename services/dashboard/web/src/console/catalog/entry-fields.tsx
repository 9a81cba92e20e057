import { Button, Group, NativeSelect, SimpleGrid, Stack, Title } from '@mantine/core';
import { UNITS } from '@model-gateway/shared/units';
import { type ReactNode, useState } from 'react';
import { Hint } from '../../components/hint.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { CAPABILITIES } from '../../pages/models/capability-names.ts';
import {
  entriesAt,
  lengthAt,
  membersAt,
  type Path,
  textAt,
  withEntry,
  without,
  withValue,
} from './catalog-text.ts';
import type { Editing } from './editing.ts';
import { MemberField } from './member-field.tsx';

interface FieldsProps {
  editing: Editing;
  path: Path;
}

const KINDS = ['openai-compatible', 'anthropic', 'gemini', 'vertex', 'azure-openai', 'bedrock', 'cohere'];
const COMMAS = 'Separate several with commas.';

/** Edits a provider. */
export function ProviderFields({ editing, path }: FieldsProps) {
  const at = (name: string) => ({ editing, path: [...path, name] });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <MemberField {...at('id')} label="Id" />
      <MemberField {...at('name')} label="Name" />
      <MemberField {...at('kind')} label="API" options={KINDS} />
      <MemberField {...at('base_url')} label="Base URL" />
      <MemberField {...at('credential_env')} label="Credential" description="Name, never the value." />
      <MemberField {...at('region')} label="Region" />
    </SimpleGrid>
  );
}

/** Edits a model with its upstreams and prices. */
export function ModelFields({ editing, path }: FieldsProps) {
  const at = (name: string) => ({ editing, path: [...path, name] });
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MemberField {...at('id')} label="Id" />
        <MemberField {...at('name')} label="Name" />
        <MemberField {...at('description')} label="Description" />
        <MemberField {...at('capability')} label="Capability" options={CAPABILITIES} />
        <MemberField {...at('tier')} label="Tier" options={['free', 'paid']} />
        <MemberField {...at('context_length')} label="Context, tokens" kind="number" />
        <MemberField {...at('max_output_tokens')} label="Longest output, tokens" kind="number" />
        <MemberField {...at('aliases')} label="Other names" kind="list" description={COMMAS} />
        <MemberField {...at('fallbacks')} label="Fallbacks" kind="list" description={COMMAS} />
      </SimpleGrid>
      <Rows
        {...at('upstreams')}
        title="Upstreams"
        noun="upstream"
        added={{ provider: '', model: '' }}
        fields={['provider', 'model', 'priority', 'weight']}
      />
      <Prices {...at('pricing')} />
    </Stack>
  );
}

/** Edits a virtual model. */
export function VirtualModelFields({ editing, path }: FieldsProps) {
  const at = (name: string) => ({ editing, path: [...path, name] });
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MemberField {...at('id')} label="Id" />
        <MemberField {...at('name')} label="Name" />
        <MemberField {...at('description')} label="Description" />
        <MemberField {...at('aliases')} label="Other names" kind="list" description={COMMAS} />
        <MemberField {...at('fallbacks')} label="Fallbacks" kind="list" description={COMMAS} />
      </SimpleGrid>
      <Rows
        {...at('models')}
        title="Models behind it"
        noun="model"
        added={{ model: '', weight: 1 }}
        fields={['model', 'weight']}
      />
    </Stack>
  );
}

const FIELDS = {
  provider: { label: 'Provider', kind: 'text' },
  model: { label: 'Model', kind: 'text' },
  priority: { label: 'Priority', kind: 'number' },
  weight: { label: 'Weight', kind: 'number' },
} as const;

interface RowsProps extends FieldsProps {
  title: string;
  noun: string;
  added: object;
  fields: readonly (keyof typeof FIELDS)[];
}

function Rows({ added, editing, fields, noun, path, title }: RowsProps) {
  return (
    <Section
      title={title}
      action={
        !editing.isReadOnly && (
          <Button
            size="xs"
            variant="default"
            onClick={() => editing.change((text) => withEntry(text, path, added))}
          >
            Add {noun}
          </Button>
        )
      }
    >
      {entriesAt(editing.catalog, path).map((row, index) => (
        <Group key={row.join('.')} gap="sm" align="flex-end">
          {fields.map((name) => (
            <MemberField key={name} {...FIELDS[name]} editing={editing} path={[...row, name]} />
          ))}
          {!editing.isReadOnly && (
            <RemovalButton
              label={`Remove ${noun} ${index + 1}`}
              onClick={() => editing.change((text) => without(text, row))}
            >
              Remove
            </RemovalButton>
          )}
        </Group>
      ))}
    </Section>
  );
}

const PRICES = UNITS.map(({ price }) => price);

function Prices({ editing, path }: FieldsProps) {
  const names = membersAt(editing.catalog, path).filter((name) => name !== 'tiers');
  const others = PRICES.filter(({ name }) => !names.includes(name));
  const [chosen, setChosen] = useState('');
  // Choosing does not add it yet: the keyboard passes all choices.
  const added = (others.find(({ name }) => name === chosen) ?? others[0])?.name;
  const tiers = lengthAt(editing.catalog, [...path, 'tiers']);
  return (
    <Section
      title="Prices in US dollars"
      action={
        !editing.isReadOnly && (
          <Group gap="xs">
            <NativeSelect
              size="xs"
              aria-label="Price to add"
              value={added}
              data={others.map(({ label, name }) => ({ value: name, label: `Per ${label}` }))}
              onChange={({ currentTarget: { value } }) => setChosen(value)}
            />
            <Button
              size="xs"
              variant="default"
              disabled={added === undefined}
              onClick={() => editing.change((text) => withValue(text, [...path, added ?? ''], '0', 'text'))}
            >
              Add price
            </Button>
          </Group>
        )
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {names.map((name) => (
          <MemberField
            key={name}
            editing={editing}
            path={[...path, name]}
            label={`Per ${PRICES.find((price) => price.name === name)?.label ?? name}`}
            description={name}
          />
        ))}
      </SimpleGrid>
      {names.length === 0 && <Hint>It has no price.</Hint>}
      {tiers > 0 && <Hint>Edit its {tiers} price tiers as YAML.</Hint>}
      {textAt(editing.catalog, [...path.slice(0, -1), 'tier']) === 'free' && names.length > 0 && (
        <Hint>A free model has no price: remove them, or make it a paid one.</Hint>
      )}
    </Section>
  );
}

function Section({ action, children, title }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Stack>
  );
}
