import { Alert, Divider, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { SessionResponse, SignInResponse } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageTitle } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { OperatorHelp } from '../../session/operator-help.tsx';
import { passkeysWork } from '../../session/passkey.ts';
import { returnPath, wasSignedIn } from '../../session/return-path.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { useSession } from '../../session/use-session.ts';
import { CodeStep } from './code-step.tsx';
import { emailProblem } from './credential-problems.ts';
import { IdentityProviderButton } from './identity-provider-button.tsx';
import { identityProviderRefusal } from './identity-provider-refusal.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { EmailField, SignInForm } from './sign-in-form.tsx';

const DESCRIPTION = 'Sign in to see your keys, usage and teams.';

export function SignInPage() {
  const { data: session, isPending } = useSession();
  const location = useLocation();
  if (isPending) return <PageLoading />;
  if (session?.user != null) return <Navigate to={returnPath(location.state)} replace />;
  return session?.ssoOnly ? <SingleSignOn session={session} /> : <PasswordSignIn session={session} />;
}

interface SessionProps {
  session: SessionResponse;
}

function SingleSignOn({ session }: SessionProps) {
  return (
    <Stack gap="xl">
      <Stack gap={6}>
        <PageTitle title="Sign in" />
        <Text c="dimmed">{DESCRIPTION}</Text>
      </Stack>
      <Notices />
      <IdentityProviders session={session} />
    </Stack>
  );
}

function PasswordSignIn({ session }: { session: SessionResponse | undefined }) {
  const [needsCode, setNeedsCode] = useState(false);
  const [ended, setEnded] = useState<unknown>(undefined);
  const form = useForm({
    fields: { email: '', password: '' },
    check: ({ email, password }) => ({
      email: emailProblem(email),
      password: password === '' ? 'Enter your password.' : undefined,
    }),
    send: async ({ email, password }) => {
      setEnded(undefined);
      const body = { email: email.trim(), password };
      const response = await postJson<SignInResponse>('/api/auth/sign-in/email', body);
      setNeedsCode(response.needsCode);
      await refreshSession();
    },
  });
  const restart = (reason?: unknown) => {
    form.set({ password: '' });
    setEnded(reason);
    setNeedsCode(false);
  };
  if (needsCode) return <CodeStep onRestart={restart} />;
  return (
    <SignInForm
      title="Sign in"
      description={DESCRIPTION}
      form={form}
      submitLabel="Sign in"
      {...(session !== undefined && { footer: <OtherWaysIn session={session} /> })}
    >
      {form.error === undefined && ended === undefined && <Notices />}
      <ErrorNotice error={ended} />
      <EmailField {...form.field('email')} />
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
    </SignInForm>
  );
}

/** Says why the sign-in page is open: the session ended, or single sign-on was refused. */
function Notices() {
  const location = useLocation();
  const refusal = identityProviderRefusal(location.search);
  if (refusal !== null) {
    return (
      <Alert color="orange" role="alert" icon={<IconAlertTriangle aria-hidden />}>
        {refusal}
      </Alert>
    );
  }
  if (!wasSignedIn(location.state)) return null;
  return (
    <Alert role="status" icon={<IconInfoCircle aria-hidden />}>
      You are signed out. Sign in to continue where you were.
    </Alert>
  );
}

function IdentityProviders({ session }: SessionProps) {
  const location = useLocation();
  return session.identityProviders.map((provider) => (
    <IdentityProviderButton key={provider.id} provider={provider} returnTo={returnPath(location.state)} />
  ));
}

function OtherWaysIn({ session }: SessionProps) {
  const location = useLocation();
  return (
    <Stack gap="md">
      {(session.identityProviders.length > 0 || passkeysWork()) && <Divider label="or" />}
      {passkeysWork() && <PasskeyButton />}
      <IdentityProviders session={session} />
      {session.signUpOpen ? (
        <Hint>
          New here?{' '}
          <TextLink to="/sign-up" state={location.state}>
            Create an account
          </TextLink>
          .
        </Hint>
      ) : (
        <OperatorHelp
          command="accounts create --email you@example.com"
          forCustomers="No account yet? Ask the operator of this site for one."
        >
          No account yet? Only the operator of this gateway can create one. Send them this command, with your
          address.
        </OperatorHelp>
      )}
      {session.sendsMail ? (
        <Hint>
          Forgotten your password? <TextLink to="/forgot-password">Get a reset link by mail</TextLink>.
        </Hint>
      ) : (
        <OperatorHelp
          command="accounts reset-password you@example.com --no-revoke-keys"
          forCustomers="Forgotten your password? Ask the operator of this site for a link to choose a new one."
        >
          Forgotten your password? This gateway sends no mail. Ask the operator to run this command: it prints
          a link to choose a new one.
        </OperatorHelp>
      )}
    </Stack>
  );
}
