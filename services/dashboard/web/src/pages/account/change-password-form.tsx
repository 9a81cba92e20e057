import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useFormFocus } from '../../components/use-form-focus.ts';
import { isFine, newPasswordHint, newPasswordProblem } from '../sign-in/credential-problems.ts';

type Problems = Partial<Record<'current' | 'next', string | undefined>>;

/** Changes the password, and ends the sessions of every other browser. */
export function ChangePasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const [isDone, setDone] = useState(false);
  const change = useAction(async () => {
    setDone(false);
    await postJson('/api/auth/change-password', {
      currentPassword: current,
      newPassword: next,
      revokeOtherSessions: true,
    });
    setCurrent('');
    setNext('');
    setDone(true);
  });
  const form = useFormFocus(problems, change.error);

  function submit(): void {
    const found = {
      current: current === '' ? 'Enter your current password.' : undefined,
      next: newPasswordProblem(next),
    };
    setProblems(found);
    if (isFine(found)) {
      change.run();
    }
  }

  return (
    <form
      ref={form}
      noValidate
      aria-label="Change password"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        {/* Tells a password manager the user name. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          name="currentPassword"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          error={problems.current}
        />
        <PasswordField
          label="New password"
          name="newPassword"
          description={newPasswordHint}
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          error={problems.next}
        />
        {change.error !== undefined && <ErrorNotice error={change.error} />}
        {isDone && (
          <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
            Your password is changed. All other browsers are signed out.
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
