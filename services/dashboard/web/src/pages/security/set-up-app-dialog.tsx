import { Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { StartAppResponse } from '../../../../wire/security.ts';
import { postJson } from '../../api/client.ts';
import { CodeField } from '../../components/code-field.tsx';
import { DialogActions, Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { useForm } from '../../components/use-form.ts';
import { BackupCodes } from './backup-codes.tsx';
import { useSecurityRefetch } from './use-security.ts';

interface SetUpAppDialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Sets up an authenticator app in three steps: the password, a first code, and the backup codes. */
export function SetUpAppDialog({ opened, onClose }: SetUpAppDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Set up an authenticator app"
      centered
      // A click beside it would lose the backup codes.
      closeOnClickOutside={false}
    >
      {opened && <Steps onClose={onClose} />}
    </Modal>
  );
}

function Steps({ onClose }: { onClose: () => void }) {
  const [started, setStarted] = useState<StartAppResponse | null>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  if (started === null) return <PasswordStep onStarted={setStarted} onCancel={onClose} />;
  if (isConfirmed) return <BackupCodes codes={started.backupCodes} onDone={onClose} />;
  return <CodeStep uri={started.uri} onConfirmed={() => setConfirmed(true)} onCancel={onClose} />;
}

interface PasswordStepProps {
  onStarted: (started: StartAppResponse) => void;
  onCancel: () => void;
}

function PasswordStep({ onStarted, onCancel }: PasswordStepProps) {
  const form = useForm({
    fields: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'Enter your password.' : undefined }),
    send: async ({ password }) =>
      onStarted(await postJson<StartAppResponse>('/api/security/app/start', { password })),
  });
  return (
    <Form label="Set up an authenticator app" form={form}>
      <Text size="sm">You need an app such as Aegis, Google Authenticator or a password manager.</Text>
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
      <DialogActions form={form} submitLabel="Continue" onCancel={onCancel} />
    </Form>
  );
}

interface CodeStepProps {
  uri: string;
  onConfirmed: () => void;
  onCancel: () => void;
}

function CodeStep({ uri, onConfirmed, onCancel }: CodeStepProps) {
  const form = useForm({
    fields: { code: '' },
    check: ({ code }) => ({ code: code.trim() === '' ? 'Enter the code that the app shows.' : undefined }),
    send: useSecurityRefetch(async ({ code }) => {
      await postJson<object>('/api/security/app/confirm', { code });
      onConfirmed();
    }),
  });
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  return (
    <Form label="Set up an authenticator app" form={form}>
      <Stack gap="xs">
        <Text size="sm">Scan this with the app, or type the key below into it.</Text>
        <Group justify="center">
          <QrCode text={uri} label="QR code for the authenticator app" />
        </Group>
        <Code block className="break-anywhere" aria-label="Key" role="textbox" aria-readonly tabIndex={0}>
          {secret}
        </Code>
      </Stack>
      <CodeField label="Code" description="The 6 digits that the app shows now." {...form.field('code')} />
      <DialogActions form={form} submitLabel="Turn on" onCancel={onCancel} />
    </Form>
  );
}
