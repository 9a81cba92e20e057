import { Alert, Anchor, Divider, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { OperatorCommand } from '../../components/operator-command.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { returnPath, wasSignedIn } from '../../session/return-path.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { useSession } from '../../session/use-session.ts';
import { emailProblem, isFine } from './credential-problems.ts';
import { IdentityProviderButton } from './identity-provider-button.tsx';
import { identityProviderRefusal } from './identity-provider-refusal.ts';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const session = useSession();
  const location = useLocation();
  const refusal = identityProviderRefusal(location.search);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problems, setProblems] = useState<{ email?: string | undefined; password?: string | undefined }>({});
  const signIn = useAction(async () => {
    await postJson('/api/auth/sign-in/email', { email: email.trim(), password });
    await refreshSession();
  });

  if (session.data?.user != null) {
    return <Navigate to={returnPath(location.state)} replace />;
  }

  function submit(): void {
    const found = {
      email: emailProblem(email),
      password: password === '' ? 'Enter your password.' : undefined,
    };
    setProblems(found);
    if (isFine(found)) {
      signIn.run();
    }
  }

  return (
    <SignInForm
      title="Sign in"
      description="Sign in to see your keys, usage and teams."
      problems={problems}
      action={signIn}
      submitLabel="Sign in"
      onSubmit={submit}
      footer={<OtherWaysIn returnTo={returnPath(location.state)} />}
    >
      {wasSignedIn(location.state) && refusal === null && signIn.error === undefined && (
        <Alert role="status" icon={<IconInfoCircle aria-hidden />}>
          You are signed out. Sign in to continue where you were.
        </Alert>
      )}
      {refusal !== null && signIn.error === undefined && (
        <Alert color="orange" role="alert" icon={<IconAlertTriangle aria-hidden />}>
          {refusal}
        </Alert>
      )}
      <TextInput
        label="E-mail"
        type="email"
        name="email"
        size="md"
        required
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={problems.email}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={problems.password}
      />
    </SignInForm>
  );
}

function OtherWaysIn({ returnTo }: { returnTo: string }) {
  const { data: session } = useSession();
  const location = useLocation();
  if (session === undefined) {
    return null;
  }
  return (
    <Stack gap="md">
      {session.identityProvider !== null && (
        <>
          <Divider label="or" />
          <IdentityProviderButton name={session.identityProvider.name} returnTo={returnTo} />
        </>
      )}
      {session.signUpOpen ? (
        <Text size="sm" c="dimmed">
          New here?{' '}
          <Anchor component={Link} to="/sign-up" state={location.state} inherit underline="always">
            Create an account
          </Anchor>
          .
        </Text>
      ) : (
        <OperatorCommand command="accounts create --email you@example.com">
          No account yet? Only the operator of this gateway can create one. Send them this command, with your
          address.
        </OperatorCommand>
      )}
      {session.sendsMail ? (
        <Text size="sm" c="dimmed">
          Forgotten your password?{' '}
          <Anchor component={Link} to="/forgot-password" inherit underline="always">
            Have a link sent to you
          </Anchor>
          .
        </Text>
      ) : (
        <OperatorCommand command="accounts reset-password you@example.com --no-revoke-keys">
          Forgotten your password? This gateway sends no mail. Ask the operator to run this command: it prints
          a link to choose a new one.
        </OperatorCommand>
      )}
    </Stack>
  );
}
