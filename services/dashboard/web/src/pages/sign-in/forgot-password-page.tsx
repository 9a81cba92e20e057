import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { RequestPasswordResetRequest } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { PageTitle } from '../../components/page-header.tsx';
import { emailProblem, isFine } from './credential-problems.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Requests a password reset link by mail. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [problems, setProblems] = useState<{ email?: string | undefined }>({});
  const [isSent, setSent] = useState(false);
  const ask = useAction(async () => {
    const request: RequestPasswordResetRequest = { email: email.trim() };
    await postJson<undefined>('/api/password-reset/request', request);
    setSent(true);
  });

  if (isSent) {
    return (
      <Stack align="flex-start" gap="md">
        <PageTitle title="Look into your mail" key="sent" />
        <Text c="dimmed" role="status" className="break-anywhere">
          If {email.trim()} has a sign-in here, a link is on its way to that address. It works once, within an
          hour.
        </Text>
        <BackToSignIn />
      </Stack>
    );
  }

  function submit(): void {
    const found = { email: emailProblem(email) };
    setProblems(found);
    if (isFine(found)) {
      ask.run();
    }
  }

  return (
    <SignInForm
      title="Forgotten your password?"
      description="Get a link by mail to choose a new one."
      problems={problems}
      action={ask}
      submitLabel="Send link"
      onSubmit={submit}
      footer={<BackToSignIn />}
    >
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
    </SignInForm>
  );
}

function BackToSignIn() {
  return (
    <Text size="sm" c="dimmed">
      <Anchor component={Link} to="/sign-in" inherit underline="always">
        Back to sign-in
      </Anchor>
    </Text>
  );
}
