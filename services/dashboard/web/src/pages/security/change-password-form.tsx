import { Alert, Button, Group } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { postJson } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useForm } from '../../components/use-form.ts';
import { newPasswordHint, newPasswordProblem } from '../sign-in/credential-problems.ts';

/** Changes the password, and ends the sessions of every other browser. */
export function ChangePasswordForm({ email }: { email: string }) {
  const [isDone, setDone] = useState(false);
  const form = useForm({
    fields: { currentPassword: '', newPassword: '' },
    check: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword === '' ? 'Enter your current password.' : undefined,
      newPassword: newPasswordProblem(newPassword),
    }),
    send: async (passwords, set) => {
      setDone(false);
      await postJson('/api/auth/change-password', { ...passwords, revokeOtherSessions: true });
      set({ currentPassword: '', newPassword: '' });
      setDone(true);
    },
  });
  return (
    <Form label="Change password" form={form}>
      {/* Tells a password manager the user name. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        {...form.field('currentPassword')}
      />
      <PasswordField
        label="New password"
        description={newPasswordHint}
        autoComplete="new-password"
        {...form.field('newPassword')}
      />
      <ErrorNotice error={form.error} />
      {isDone && (
        <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
          Your password is changed. All other browsers are signed out.
        </Alert>
      )}
      <Group>
        <Button type="submit" loading={form.isPending}>
          Change password
        </Button>
      </Group>
    </Form>
  );
}
