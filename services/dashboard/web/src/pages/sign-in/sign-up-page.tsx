import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { nameProblem } from '../../components/name-problem.ts';
import { OperatorCommand } from '../../components/operator-command.tsx';
import { PageTitle } from '../../components/page-header.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { returnPath } from '../../session/return-path.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { useSession } from '../../session/use-session.ts';
import { emailProblem, isFine, newPasswordHint, newPasswordProblem } from './credential-problems.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Shown until an address is typed in. */
const EXAMPLE = 'you@example.com';

type Problems = Partial<Record<'name' | 'email' | 'password', string | undefined>>;

export function SignUpPage() {
  const session = useSession();
  const location = useLocation();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const signUp = useAction(async () => {
    await postJson('/api/auth/sign-up/email', { name: name.trim(), email: email.trim(), password });
    await refreshSession();
  });

  if (session.data?.user != null) {
    return <Navigate to={returnPath(location.state)} replace />;
  }
  if (session.data?.signUpOpen === false) {
    return <SignUpClosed />;
  }

  function submit(): void {
    const found = {
      name: nameProblem(name, 'Enter your name.'),
      email: emailProblem(email),
      password: newPasswordProblem(password),
    };
    setProblems(found);
    if (isFine(found)) {
      signUp.run();
    }
  }

  return (
    <SignInForm
      title="Create an account"
      description="It takes a minute. Your first key comes right after."
      problems={problems}
      action={signUp}
      submitLabel="Create account"
      onSubmit={submit}
      footer={
        <Text size="sm" c="dimmed">
          Have an account?{' '}
          <Anchor component={Link} to="/sign-in" state={location.state} inherit underline="always">
            Sign in
          </Anchor>
          .
        </Text>
      }
    >
      <TextInput
        label="Name"
        name="name"
        size="md"
        required
        autoComplete="name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems.name}
      />
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
        description={newPasswordHint}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={problems.password}
      />
    </SignInForm>
  );
}

function SignUpClosed() {
  return (
    <Stack align="flex-start" gap="md">
      <PageTitle title="Accounts are by invitation" />
      <Text c="dimmed">
        Only the operator of this gateway can create accounts: ask them for one. They give you a link to
        choose a password.
      </Text>
      <OperatorCommand command={`accounts create --email ${EXAMPLE}`}>
        Send them these two commands, with your address. The first creates the account,
      </OperatorCommand>
      <OperatorCommand command={`accounts reset-password ${EXAMPLE}`}>
        the second prints your link:
      </OperatorCommand>
      <Button component={Link} to="/sign-in" variant="default">
        Back to sign-in
      </Button>
    </Stack>
  );
}
