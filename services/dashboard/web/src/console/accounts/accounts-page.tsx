import { Badge, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Account } from '../../../../wire/management.ts';
import { changeManagement } from '../../api/management.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';

/** Lists the accounts, the newest first. */
export function AccountsPage() {
  const [address, change] = useAddressQuery();
  const mayChange = useMayChange();
  const [isCreating, setCreating] = useState(false);
  const value = (name: string) => address.get(name) ?? '';
  const filter = {
    search: value('search'),
    external_id: value('external_id'),
    suspended: value('suspended'),
  };
  const [{ external_id, search, suspended }] = useDebouncedValue(filter, 200);
  const query = {
    ...(search !== '' && { search }),
    ...(external_id !== '' && { external_id }),
    ...(suspended !== '' && { suspended: suspended === 'true' }),
  };
  const isFiltered = Object.keys(query).length > 0;
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Everybody who uses this gateway, the newest first."
        actions={mayChange && <Button onClick={() => setCreating(true)}>Create account</Button>}
      />
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Name or e-mail address"
            description="Or the beginning of it"
            autoComplete="off"
            value={filter.search}
            onChange={({ currentTarget }) => change({ search: currentTarget.value }, { isTyping: true })}
          />
          <TextInput
            label="External id"
            description="As a whole"
            autoComplete="off"
            value={filter.external_id}
            onChange={({ currentTarget }) => change({ external_id: currentTarget.value }, { isTyping: true })}
          />
          <NativeSelect
            label="Status"
            value={filter.suspended}
            data={[
              { value: '', label: 'All' },
              { value: 'false', label: 'Active' },
              { value: 'true', label: 'Suspended' },
            ]}
            onChange={({ currentTarget }) => change({ suspended: currentTarget.value })}
          />
        </Group>
        <ManagedTable
          operation="listAccounts"
          request={{ query: { ...query, limit: 100 } }}
          caption="Accounts"
          idOf={({ id }) => id}
          isDimmed={({ suspended_at }) => suspended_at !== null}
          isFramed
          columns={[
            { id: 'name', header: 'Name', width: '28%', cell: AccountName },
            {
              id: 'email',
              header: 'E-mail address',
              width: '30%',
              cell: ({ email }) => <Identifier id={email} />,
            },
            {
              id: 'external',
              header: 'External id',
              cell: ({ external_id: id }) => id ?? '–',
              isEmpty: ({ external_id: id }) => id === null,
            },
            { id: 'status', header: 'Status', cell: AccountStatus },
            { id: 'created', header: 'Created', cell: (each) => <Moment ms={Date.parse(each.created_at)} /> },
          ]}
          empty={
            <EmptyState
              icon={<IconUsers size={28} />}
              title={isFiltered ? 'No account matches' : 'There is no account yet'}
            >
              {isFiltered
                ? 'Enter the beginning of a name or address. ⌘K or Ctrl-K finds keys, teams and requests, too.'
                : 'Create one for somebody, or let people sign up.'}
            </EmptyState>
          }
        />
      </Stack>
      {isCreating && <CreateAccountDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function AccountName({ id, name }: Account) {
  return <TextLink to={consolePaths.account(id)}>{name}</TextLink>;
}

/** Shows whether an account may use the gateway. */
export function AccountStatus({ deleted_at, stopped_by, suspended_at }: Account) {
  if (deleted_at !== null) return <Badge color="gray">Deleted</Badge>;
  if (suspended_at !== null) return <Badge color="orange">Suspended</Badge>;
  if (stopped_by !== null) return <Badge color="orange">Stopped by {stopped_by}</Badge>;
  return <Badge color="green">Active</Badge>;
}

function CreateAccountDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    fields: { email: '', name: '', external_id: '' },
    check: ({ email }) => ({ email: email.includes('@') ? undefined : 'Enter an e-mail address.' }),
    send: async ({ email, external_id, name }) => {
      const body = {
        email: email.trim(),
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(external_id.trim() !== '' && { external_id: external_id.trim() }),
      };
      const { body: made } = await changeManagement('createAccount', { body });
      await navigate(consolePaths.account(made.id));
    },
  });
  return (
    <FormDialog opened title="Create account" submitLabel="Create account" form={form} onClose={onClose}>
      <TextInput
        label="E-mail address"
        description="The person who verifies this address gets the account."
        type="email"
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
      <TextInput label="Name" autoComplete="off" {...form.field('name')} />
      <TextInput
        label="External id"
        description="Its id in a system of yours."
        autoComplete="off"
        {...form.field('external_id')}
      />
    </FormDialog>
  );
}
