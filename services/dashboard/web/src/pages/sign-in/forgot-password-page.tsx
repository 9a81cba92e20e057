import { Text } from '@mantine/core';
import { useState } from 'react';
import type { RequestPasswordResetRequest } from '../../../../wire/session.ts';
import { postJson } from '../../api/client.ts';
import { Hint } from '../../components/hint.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { emailProblem } from './credential-problems.ts';
import { MessagePage } from './message-page.tsx';
import { EmailField, SignInForm } from './sign-in-form.tsx';

/** Requests a password reset link by mail. */
export function ForgotPasswordPage() {
  const [isSent, setSent] = useState(false);
  const form = useForm({
    fields: { email: '' },
    check: ({ email }) => ({ email: emailProblem(email) }),
    send: async ({ email }) => {
      const request: RequestPasswordResetRequest = { email: email.trim() };
      await postJson<undefined>('/api/password-reset/request', request);
      setSent(true);
    },
  });
  const back = (
    <Hint>
      <TextLink to="/sign-in">Back to sign-in</TextLink>
    </Hint>
  );
  if (isSent) {
    return (
      <MessagePage title="Check your mail">
        <Text c="dimmed" role="status" className="break-anywhere">
          If {form.values.email.trim()} has an account here, a link is on its way to that address. It works
          once, within an hour.
        </Text>
        {back}
      </MessagePage>
    );
  }
  return (
    <SignInForm
      title="Forgotten your password?"
      description="Get a link by mail to choose a new one."
      form={form}
      submitLabel="Send link"
      footer={back}
    >
      <EmailField {...form.field('email')} />
    </SignInForm>
  );
}
