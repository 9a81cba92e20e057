import { Alert, Divider, Stack } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { Navigate, useLocation } from 'react-router';
import { postJson } from '../../api/client.ts';
import { Hint } from '../../components/hint.tsx';
import { OperatorCommand } from '../../components/operator-command.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { returnPath, wasSignedIn } from '../../session/return-path.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { useSession } from '../../session/use-session.ts';
import { emailProblem } from './credential-problems.ts';
import { IdentityProviderButton } from './identity-provider-button.tsx';
import { identityProviderRefusal } from './identity-provider-refusal.ts';
import { EmailField, SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const session = useSession();
  const location = useLocation();
  const refusal = identityProviderRefusal(location.search);
  const form = useForm({
    fields: { email: '', password: '' },
    check: ({ email, password }) => ({
      email: emailProblem(email),
      password: password === '' ? 'Enter your password.' : undefined,
    }),
    send: async ({ email, password }) => {
      await postJson('/api/auth/sign-in/email', { email: email.trim(), password });
      await refreshSession();
    },
  });

  if (session.data?.user != null) return <Navigate to={returnPath(location.state)} replace />;

  return (
    <SignInForm
      title="Sign in"
      description="Sign in to see your keys, usage and teams."
      form={form}
      submitLabel="Sign in"
      footer={<OtherWaysIn returnTo={returnPath(location.state)} />}
    >
      {wasSignedIn(location.state) && refusal === null && form.error === undefined && (
        <Alert role="status" icon={<IconInfoCircle aria-hidden />}>
          You are signed out. Sign in to continue where you were.
        </Alert>
      )}
      {refusal !== null && form.error === undefined && (
        <Alert color="orange" role="alert" icon={<IconAlertTriangle aria-hidden />}>
          {refusal}
        </Alert>
      )}
      <EmailField {...form.field('email')} />
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
    </SignInForm>
  );
}

function OtherWaysIn({ returnTo }: { returnTo: string }) {
  const { data: session } = useSession();
  const location = useLocation();
  if (session === undefined) return null;
  return (
    <Stack gap="md">
      {session.identityProvider !== null && (
        <>
          <Divider label="or" />
          <IdentityProviderButton name={session.identityProvider.name} returnTo={returnTo} />
        </>
      )}
      {session.signUpOpen ? (
        <Hint>
          New here?{' '}
          <TextLink to="/sign-up" state={location.state}>
            Create an account
          </TextLink>
          .
        </Hint>
      ) : (
        <OperatorCommand command="accounts create --email you@example.com">
          No account yet? Only the operator of this gateway can create one. Send them this command, with your
          address.
        </OperatorCommand>
      )}
      {session.sendsMail ? (
        <Hint>
          Forgotten your password? <TextLink to="/forgot-password">Get a reset link by mail</TextLink>.
        </Hint>
      ) : (
        <OperatorCommand command="accounts reset-password you@example.com --no-revoke-keys">
          Forgotten your password? This gateway sends no mail. Ask the operator to run this command: it prints
          a link to choose a new one.
        </OperatorCommand>
      )}
    </Stack>
  );
}
