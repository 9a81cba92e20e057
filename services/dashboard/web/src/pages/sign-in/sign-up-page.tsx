import { Button, Stack, Text, TextInput } from '@mantine/core';
import { Link, Navigate, useLocation } from 'react-router';
import { postJson } from '../../api/client.ts';
import { Hint } from '../../components/hint.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { OperatorCommand } from '../../components/operator-command.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { returnPath } from '../../session/return-path.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { TermsLink } from '../../session/terms-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { emailProblem, newPasswordHint, newPasswordProblem } from './credential-problems.ts';
import { MessagePage } from './message-page.tsx';
import { EmailField, SignInForm } from './sign-in-form.tsx';

/** Shown until an address is typed in. */
const EXAMPLE = 'you@example.com';

export function SignUpPage() {
  const session = useSession();
  const location = useLocation();
  const form = useForm({
    fields: { name: '', email: '', password: '' },
    check: ({ name, email, password }) => ({
      name: nameProblem(name, 'Enter your name.'),
      email: emailProblem(email),
      password: newPasswordProblem(password),
    }),
    send: async ({ name, email, password }) => {
      await postJson('/api/auth/sign-up/email', { name: name.trim(), email: email.trim(), password });
      await refreshSession();
    },
  });

  if (session.data?.user != null) return <Navigate to={returnPath(location.state)} replace />;
  if (session.data?.ssoOnly) return <Navigate to="/sign-in" replace />;
  if (session.data?.signUpOpen === false) return <SignUpClosed />;

  const termsUrl = session.data?.termsUrl;
  return (
    <SignInForm
      title="Create an account"
      description="It takes a minute. Your first key comes right after."
      form={form}
      submitLabel="Create account"
      footer={
        <Stack gap="md">
          {termsUrl != null && (
            <Hint>
              By creating an account you accept the <TermsLink url={termsUrl} />.
            </Hint>
          )}
          <Hint>
            Have an account?{' '}
            <TextLink to="/sign-in" state={location.state}>
              Sign in
            </TextLink>
            .
          </Hint>
        </Stack>
      }
    >
      <TextInput label="Name" size="md" required autoComplete="name" {...form.field('name')} />
      <EmailField {...form.field('email')} />
      <PasswordField
        label="Password"
        description={newPasswordHint}
        autoComplete="new-password"
        {...form.field('password')}
      />
    </SignInForm>
  );
}

function SignUpClosed() {
  const sellsCredit = useSession().data?.sellsCredit;
  return (
    <MessagePage title="Only the operator creates accounts">
      <Text c="dimmed">
        Ask the operator of this gateway for an account. They give you a link to choose a password.
      </Text>
      {!sellsCredit && (
        <>
          <OperatorCommand command={`accounts create --email ${EXAMPLE}`}>
            Send them these two commands, with your address. The first creates the account:
          </OperatorCommand>
          <OperatorCommand command={`accounts reset-password ${EXAMPLE}`}>
            The second prints your link:
          </OperatorCommand>
        </>
      )}
      <Button component={Link} to="/sign-in" variant="default">
        Back to sign-in
      </Button>
    </MessagePage>
  );
}
