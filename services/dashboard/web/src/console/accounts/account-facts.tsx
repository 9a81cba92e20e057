import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { changeManagement, type Managed } from '../../api/management.ts';
import { refreshManagement, useManagementList } from '../../api/use-management.ts';
import { Fact } from '../../components/fact.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { AccountStatus } from './accounts-page.tsx';

interface AccountFactsProps {
  /** The account with its version. */
  managed: Managed<'getAccount'>;
  onDone: (text: string, isConfirmed: boolean) => void;
}

const LIMITS = [
  ['free_per_minute', 'Free requests a minute'],
  ['paid_per_minute', 'Paid requests a minute'],
  ['reads_per_minute', 'Reads a minute'],
  ['concurrent_streams', 'Streams at a time'],
] as const;
type LimitName = (typeof LIMITS)[number][0];

/** Shows facts and limits of an account, and changes them. */
export function AccountFacts({ managed, onDone }: AccountFactsProps) {
  const account = managed.body;
  const mayChange = useMayChange() && account.deleted_at === null;
  const [isEditing, setEditing] = useState(false);
  return (
    <Panel
      title="About this account"
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            Edit account
          </Button>
        )
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        <Fact label="Status">
          <AccountStatus {...account} />
        </Fact>
        <Fact label="Id">
          <Identifier id={account.id} withCopy />
        </Fact>
        <Fact label="E-mail address">
          <Identifier id={account.email} />
          {account.email_verified ? '' : ' (not proven)'}
        </Fact>
        <Fact label="External id">{account.external_id ?? 'None'}</Fact>
        <Fact label="Created">
          <Moment ms={Date.parse(account.created_at)} />
        </Fact>
        <Fact label="Time zone">{account.timezone}</Fact>
        <Fact label="Price list">
          <PriceListLink id={account.price_list_id} />
        </Fact>
        {LIMITS.map(([name, label]) => (
          <Fact key={name} label={label}>
            {account.limits[name] === null ? 'Default' : formatCount(account.limits[name])}
          </Fact>
        ))}
      </SimpleGrid>
      {isEditing && (
        <EditAccountDialog
          managed={managed}
          onClose={() => setEditing(false)}
          onDone={(text, isConfirmed) => {
            setEditing(false);
            onDone(text, isConfirmed);
          }}
        />
      )}
    </Panel>
  );
}

function PriceListLink({ id }: { id: string | null | undefined }) {
  const lists = usePriceLists();
  if (id == null) return 'Default';
  const name = lists.find((list) => list.id === id)?.name ?? id;
  return <TextLink to={consolePaths.priceList(id)}>{name}</TextLink>;
}

function usePriceLists() {
  const { data } = useManagementList('listPriceLists', { query: { limit: 200 } });
  return data?.pages.flatMap((page) => page.data) ?? [];
}

function EditAccountDialog({ managed, onClose, onDone }: AccountFactsProps & { onClose: () => void }) {
  const { external_id, id, limits, name, price_list_id } = managed.body;
  const lists = usePriceLists();
  const limitTexts = Object.fromEntries(LIMITS.map(([each]) => [each, String(limits[each] ?? '')]));
  const form = useForm<string>({
    fields: { name, external_id: external_id ?? '', price_list: price_list_id ?? '', ...limitTexts },
    check: (values) => ({
      name: values.name?.trim() ? undefined : 'Enter a name.',
      ...Object.fromEntries(LIMITS.map(([each]) => [each, limitProblem(values[each] ?? '')])),
    }),
    send: async (values) => {
      const given = (each: LimitName) => (values[each]?.trim() ? Number(values[each]) : null);
      const body = {
        name: values.name?.trim() ?? name,
        external_id: values.external_id?.trim() || null,
        price_list_id: values.price_list || null,
        limits: {
          free_per_minute: given('free_per_minute'),
          paid_per_minute: given('paid_per_minute'),
          reads_per_minute: given('reads_per_minute'),
          concurrent_streams: given('concurrent_streams'),
        },
      };
      const { isConfirmed } = await changeManagement('changeAccount', { path: { id }, body }, managed);
      await refreshManagement();
      onDone('The account is changed.', isConfirmed);
    },
  });
  return (
    <FormDialog opened title="Edit account" submitLabel="Save" form={form} size="lg" onClose={onClose}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
        <TextInput label="External id" autoComplete="off" {...form.field('external_id')} />
        <NativeSelect
          label="Price list"
          data={[
            { value: '', label: 'Default' },
            ...lists.map((list) => ({ value: list.id, label: list.name })),
          ]}
          {...form.field('price_list')}
        />
        {LIMITS.map(([each, label]) => (
          <TextInput
            key={each}
            label={label}
            placeholder="Default"
            inputMode="numeric"
            autoComplete="off"
            {...form.field(each)}
          />
        ))}
      </SimpleGrid>
    </FormDialog>
  );
}

function limitProblem(text: string): string | undefined {
  return /^(|[1-9]\d{0,8})$/.test(text.trim()) ? undefined : 'Enter a whole number, or nothing.';
}
