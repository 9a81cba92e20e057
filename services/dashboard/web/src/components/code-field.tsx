import { TextInput } from '@mantine/core';
import type { ChangeEventHandler } from 'react';

interface CodeFieldProps {
  label: string;
  description?: string;
  name: string;
  value: string;
  error: string | undefined;
  onChange: ChangeEventHandler<HTMLInputElement>;
}

/** Shows a field for a code of an authenticator app, which phones and password managers fill in. */
export function CodeField(props: CodeFieldProps) {
  return (
    <TextInput
      size="md"
      required
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      data-autofocus
      {...props}
    />
  );
}
