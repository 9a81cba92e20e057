import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { BackLink } from '../../components/back-link.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useForm } from '../../components/use-form.ts';
import { useAccountSettings } from '../account/use-account-settings.ts';
import { RulesPanels } from '../rules/rules-panels.tsx';

const MAX_LENGTH = 128;

/** Shows the rules that every end user has, and those with own rules. */
export function EndUsersPage() {
  return (
    <>
      <BackLink to="/dashboard/account">Account</BackLink>
      <PageHeader
        title="End users"
        description={
          'Requests name an end user by the header x-gateway-end-user, or by user, safety_identifier or ' +
          'metadata.user_id. Each of them gets budgets and limits of its own.'
        }
      />
      <Stack gap="lg">
        <RulesPanels
          owner={{ kind: 'end_users' }}
          editTitle="Rules of every end user"
          noBudgets="End users have no budget: each can spend all that your pools have."
        />
        <OwnRulesPanel />
      </Stack>
    </>
  );
}

function OwnRulesPanel() {
  const settings = useAccountSettings();
  const [isAdding, setAdding] = useState(false);
  const names = settings.data?.endUsers ?? [];
  return (
    <Panel
      title="End users with other rules"
      description="Their own rules apply instead of those above."
      actions={
        <Button variant="default" size="xs" onClick={() => setAdding(true)}>
          Add an end user
        </Button>
      }
    >
      <QueryState query={settings} loading="Reading the end users" />
      {settings.data !== undefined && names.length === 0 && <Hint>None yet.</Hint>}
      {names.length > 0 && (
        <Stack component="ul" className="plain-list" gap="xs" aria-label="End users with other rules">
          {names.map((name) => (
            <li key={name}>
              <Anchor component={Link} to={endUserPath(name)} size="sm" className="break-anywhere">
                {name}
              </Anchor>
            </li>
          ))}
        </Stack>
      )}
      <AddEndUserDialog opened={isAdding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function AddEndUserDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    fields: { endUser: '' },
    check: ({ endUser }) => ({
      endUser:
        endUser.trim() === '' || endUser.trim().length > MAX_LENGTH
          ? `Enter 1 to ${MAX_LENGTH} characters, as your requests send them.`
          : undefined,
    }),
    send: async ({ endUser }) => {
      onClose();
      await navigate(endUserPath(endUser.trim()));
    },
  });
  return (
    <FormDialog opened={opened} title="Add an end user" submitLabel="Continue" form={form} onClose={onClose}>
      <TextInput
        label="End user"
        description="The id that your requests send."
        placeholder="customer-17"
        required
        data-autofocus
        autoComplete="off"
        {...form.field('endUser')}
      />
    </FormDialog>
  );
}

function endUserPath(name: string): string {
  return `/dashboard/account/end-user?id=${encodeURIComponent(name)}`;
}
