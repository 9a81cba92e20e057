import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useAction } from '../../api/use-action.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { accountSettingsKey, useAccountSettings } from '../account/use-account-settings.ts';
import { RulesPanels } from '../rules/rules-panels.tsx';
import { useSaveRules } from '../rules/use-rules.ts';

const LIST = '/dashboard/account/end-users';

/** Shows the rules of one end user, and what is left of its budgets. */
export function EndUserPage() {
  const [query] = useSearchParams();
  const endUser = query.get('id') ?? '';
  const owner = { kind: 'end_user', endUser } as const;
  const hasOwn = useAccountSettings().data?.endUsers.includes(endUser) === true;
  const [toRemove, setToRemove] = useState<string | null>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const save = useSaveRules(owner);
  const refresh = () => void queryClient.invalidateQueries({ queryKey: accountSettingsKey });
  const remove = useAction(async (_endUser: string) => {
    await save(null);
    refresh();
    await navigate(LIST);
  });
  return (
    <>
      <BackLink to={LIST}>End users</BackLink>
      <PageHeader
        title={endUser}
        description={
          hasOwn
            ? 'Has rules of its own, instead of those of every end user.'
            : 'Has the rules of every end user.'
        }
        actions={
          hasOwn && (
            <Button variant="default" onClick={() => setToRemove(endUser)}>
              Remove own rules
            </Button>
          )
        }
      />
      <Stack gap="lg">
        <RulesPanels
          owner={owner}
          editTitle={`Rules of ${endUser}`}
          noBudgets="No budget of its own."
          onSaved={refresh}
        />
      </Stack>
      <ConfirmDialog
        subject={toRemove}
        title="Remove its own rules?"
        confirmLabel="Remove own rules"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {(shown) => `The rules of every end user apply to ${shown} again.`}
      </ConfirmDialog>
    </>
  );
}
