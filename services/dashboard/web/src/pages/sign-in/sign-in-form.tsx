import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { ChangeEventHandler, ReactNode } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-header.tsx';
import type { FormState } from '../../components/use-form.ts';

interface SignInFormProps {
  title: string;
  description: ReactNode;
  form: FormState;
  submitLabel: string;
  children: ReactNode;
  /** Other ways to sign in, below the form. */
  footer?: ReactNode;
}

/** Shows the frame of the sign-in, sign-up and password forms: title, error, fields and footer. */
export function SignInForm({ title, description, form, submitLabel, children, footer }: SignInFormProps) {
  return (
    <Stack gap="xl">
      <Stack gap={6}>
        <PageTitle title={title} />
        <Text c="dimmed" component="div">
          {description}
        </Text>
      </Stack>
      <ErrorNotice error={form.error} />
      <Form form={form}>
        {children}
        <Button type="submit" size="md" fullWidth mt="xs" loading={form.isPending}>
          {submitLabel}
        </Button>
      </Form>
      {footer}
    </Stack>
  );
}

interface EmailFieldProps {
  name: string;
  value: string;
  error: string | undefined;
  onChange: ChangeEventHandler<HTMLInputElement>;
}

export function EmailField(props: EmailFieldProps) {
  return <TextInput label="E-mail" type="email" size="md" required autoComplete="username" {...props} />;
}
