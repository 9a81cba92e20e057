import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Account } from '../../../../wire/management.ts';
import { postJson } from '../../api/client.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { useMayChange } from '../../session/use-may-change.ts';

interface AccountActionsProps {
  account: Account;
  onDone: (text: string, isConfirmed: boolean) => void;
}

/** Buttons for the account as a whole. */
export function AccountActions({ account, onDone }: AccountActionsProps) {
  const { deleted_at, id, suspended_at } = account;
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const [toSuspend, setToSuspend] = useState<Account | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const view = useAction(async () => {
    await postJson<undefined>('/api/session/view', { accountId: id });
    await refreshSession();
    await navigate('/dashboard');
  });
  const suspend = useAction(async (_account: Account) => {
    const { isConfirmed } = await changeManagement('suspendAccount', { path: { id } });
    await refreshManagement();
    setToSuspend(null);
    onDone('The account is suspended. Its keys are refused, and nobody signs in.', isConfirmed);
  });
  const resume = useAction(async () => {
    const { isConfirmed } = await changeManagement('resumeAccount', { path: { id } });
    await refreshManagement();
    onDone('The account is resumed. Its keys work again.', isConfirmed);
  });
  if (deleted_at !== null) return null;
  return (
    <>
      <Button variant="default" loading={view.isPending} onClick={() => view.run()}>
        Open as the holder sees it
      </Button>
      {mayChange &&
        (suspended_at === null ? (
          <Button variant="default" color="red" onClick={() => setToSuspend(account)}>
            Suspend
          </Button>
        ) : (
          <Button loading={resume.isPending} onClick={() => resume.run()}>
            Resume
          </Button>
        ))}
      {mayChange && (
        <Button variant="default" color="red" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      )}
      <ErrorNotice error={view.error ?? resume.error} />
      <ConfirmDialog
        subject={toSuspend}
        title="Suspend this account?"
        confirmLabel="Suspend account"
        action={suspend}
        onClose={() => setToSuspend(null)}
      >
        {({ name }) =>
          `The keys of ${name} and those on seats of its teams stop at once, and its sessions end. Resume it to ` +
          'undo this.'
        }
      </ConfirmDialog>
      {isDeleting && <DeleteAccountDialog account={account} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteAccountDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const navigate = useNavigate();
  const { email, id } = account;
  const form = useForm({
    fields: { email: '' },
    check: (typed) => ({
      email: typed.email.trim().toLowerCase() === email ? undefined : `Enter ${email} to delete the account.`,
    }),
    send: async () => {
      await changeManagement('deleteAccount', { path: { id } });
      await navigate('/operate/accounts');
      await refreshManagement();
    },
  });
  return (
    <FormDialog
      opened
      title="Delete this account?"
      submitLabel="Delete account"
      form={form}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          Its keys are revoked, and its teams, seats and pools are removed. Usage and ledger stay. This is
          final.
        </Text>
      </Stack>
      <TextInput
        label="E-mail address of the account"
        description={`Enter ${email} to confirm.`}
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
    </FormDialog>
  );
}
