import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { PasswordResetRequest } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { useForm } from '../../components/use-form.ts';
import { readToken } from '../../session/read-token.ts';
import { newPasswordHint, newPasswordProblem } from './credential-problems.ts';
import { MessagePage } from './message-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Sets a new password, with a mailed link or one from an operator. */
export function ResetPasswordPage() {
  const location = useLocation();
  const [token, setToken] = useState(() => readToken(location.hash));
  const [isDone, setDone] = useState(false);
  const form = useForm({
    fields: { password: '' },
    check: ({ password }) => ({ password: newPasswordProblem(password) }),
    send: async ({ password }, set) => {
      if (token === undefined) return;
      await postJson<undefined>('/api/password-reset', { token, password } satisfies PasswordResetRequest);
      set({ password: '' });
      setDone(true);
    },
  });

  useEffect(() => {
    // Also runs for a second link in the same tab, which does not reload the page.
    const given = readToken(location.hash);
    if (given !== undefined) {
      setToken(given);
      setDone(false);
    }
    // Removes the secret token from the address bar and the history, but keeps the router's state.
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [location]);

  if (isDone) {
    return (
      <Outcome title="Your password is changed" action="Sign in">
        Sign in with the new one. You have been signed out everywhere else.
      </Outcome>
    );
  }
  if (token === undefined) {
    return (
      <Outcome title="This link is not complete" action="Back to sign-in">
        Open the complete link that you got. A link works once, for a limited time. If yours no longer works,
        ask for a new one.
      </Outcome>
    );
  }

  return (
    <SignInForm
      title="Choose a new password"
      description="The link works once. Then sign in with the new password."
      form={form}
      submitLabel="Set password"
    >
      <PasswordField
        label="New password"
        description={newPasswordHint}
        autoComplete="new-password"
        {...form.field('password')}
      />
    </SignInForm>
  );
}

function Outcome({ title, action, children }: { title: string; action: string; children: string }) {
  return (
    <MessagePage title={title}>
      <Text c="dimmed" role="status">
        {children}
      </Text>
      <Button component={Link} to="/sign-in">
        {action}
      </Button>
    </MessagePage>
  );
}
