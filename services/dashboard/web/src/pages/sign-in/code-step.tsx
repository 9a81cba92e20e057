import { Button } from '@mantine/core';
import { ApiError, postJson } from '../../api/client.ts';
import { CodeField } from '../../components/code-field.tsx';
import { useForm } from '../../components/use-form.ts';
import { refreshSession } from '../../session/sign-out.ts';
import { SignInForm } from './sign-in-form.tsx';

interface CodeStepProps {
  /** @param reason why the sign-in has ended; undefined: the user wants to begin again */
  onRestart: (reason?: unknown) => void;
}

/** Asks for the code of the authenticator app, after the password. */
export function CodeStep({ onRestart }: CodeStepProps) {
  const form = useForm({
    fields: { code: '' },
    check: ({ code }) => ({ code: code.trim() === '' ? 'Enter the code that the app shows.' : undefined }),
    send: async ({ code }) => {
      await postJson<object>('/api/auth/sign-in/code', { code }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'sign_in_ended') throw error;
        onRestart(error);
      });
      await refreshSession();
    },
  });
  return (
    <SignInForm
      title="Enter a code"
      description="Your authenticator app shows it. Without the phone, enter one of your backup codes."
      form={form}
      submitLabel="Sign in"
      footer={
        <Button variant="subtle" onClick={() => onRestart()}>
          Use another account
        </Button>
      }
    >
      <CodeField label="Code" {...form.field('code')} />
    </SignInForm>
  );
}
