import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Action } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageTitle } from '../../components/page-header.tsx';
import { useFormFocus } from '../../components/use-form-focus.ts';

interface SignInFormProps {
  title: string;
  description: ReactNode;
  /** The problems by field; the first wrong field gets the focus. */
  problems: Record<string, string | undefined>;
  action: Pick<Action<[]>, 'isPending' | 'error'>;
  submitLabel: string;
  onSubmit: () => void;
  children: ReactNode;
  /** Other ways to sign in, below the form. */
  footer?: ReactNode;
}

/** Shows the frame of the sign-in, sign-up and password forms: title, error, fields and footer. */
export function SignInForm(props: SignInFormProps) {
  const form = useFormFocus(props.problems, props.action.error);
  return (
    <Stack gap="xl">
      <Stack gap={6}>
        <PageTitle title={props.title} />
        <Text c="dimmed" component="div">
          {props.description}
        </Text>
      </Stack>
      {props.action.error !== undefined && <ErrorNotice error={props.action.error} />}
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Stack gap="md">
          {props.children}
          <Button type="submit" size="md" fullWidth mt="xs" loading={props.action.isPending}>
            {props.submitLabel}
          </Button>
        </Stack>
      </form>
      {props.footer}
    </Stack>
  );
}
