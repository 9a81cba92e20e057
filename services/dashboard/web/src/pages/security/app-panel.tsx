import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { BackupCodesResponse, SecurityResponse } from '../../../../wire/security.ts';
import { postJson } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useForm } from '../../components/use-form.ts';
import { countOf } from '../../format/format-count.ts';
import { BackupCodes } from './backup-codes.tsx';
import { SetUpAppDialog } from './set-up-app-dialog.tsx';
import { useSecurityRefetch } from './use-security.ts';

type Dialog = 'set-up' | 'turn-off' | 'renew';

/** Shows if an authenticator app is set up, with buttons to set it up, renew its codes and turn it off. */
export function AppPanel({ app }: { app: SecurityResponse['app'] }) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [renewed, setRenewed] = useState<string[] | null>(null);
  const close = () => setDialog(null);
  return (
    <Panel
      title="Authenticator app"
      description="When you sign in with your password, you also enter a code that an app on your phone shows."
      actions={
        app === null && (
          <Button variant="default" size="xs" onClick={() => setDialog('set-up')}>
            Set up
          </Button>
        )
      }
    >
      {app === null ? (
        <Hint>Not set up.</Hint>
      ) : (
        <>
          <Group gap="xs">
            <Badge color="green">Set up</Badge>
            <Text size="sm">{countOf(app.backupCodesLeft, 'backup code')} left</Text>
          </Group>
          {renewed !== null && <BackupCodes codes={renewed} onDone={() => setRenewed(null)} />}
          <Group gap="sm">
            <Button variant="default" size="xs" onClick={() => setDialog('renew')}>
              New backup codes
            </Button>
            <Button variant="default" size="xs" color="red" onClick={() => setDialog('turn-off')}>
              Turn off
            </Button>
          </Group>
        </>
      )}
      <SetUpAppDialog opened={dialog === 'set-up'} onClose={close} />
      <PasswordDialog
        opened={dialog === 'renew'}
        title="New backup codes"
        submitLabel="Show new codes"
        text="The old backup codes stop working."
        onClose={close}
        send={async (password) => {
          const path = '/api/security/app/backup-codes';
          setRenewed((await postJson<BackupCodesResponse>(path, { password })).backupCodes);
        }}
      />
      <PasswordDialog
        opened={dialog === 'turn-off'}
        title="Turn off the authenticator app?"
        submitLabel="Turn off"
        text="Your password alone then signs you in."
        onClose={close}
        send={async (password) => {
          await postJson<object>('/api/security/app/turn-off', { password });
          setRenewed(null);
        }}
      />
    </Panel>
  );
}

interface PasswordDialogProps {
  opened: boolean;
  title: string;
  submitLabel: string;
  text: string;
  send: (password: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for the password before a change of the app. */
function PasswordDialog({ opened, title, submitLabel, text, send, onClose }: PasswordDialogProps) {
  const form = useForm({
    fields: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'Enter your password.' : undefined }),
    send: useSecurityRefetch(async ({ password }, set) => {
      await send(password);
      set({ password: '' });
      onClose();
    }),
  });
  return (
    <FormDialog opened={opened} title={title} submitLabel={submitLabel} form={form} onClose={onClose}>
      <Text size="sm">{text}</Text>
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
    </FormDialog>
  );
}
