import { PasswordInput } from '@mantine/core';
import { type ChangeEventHandler, type KeyboardEvent, useState } from 'react';

interface PasswordFieldProps {
  label: string;
  name: string;
  value: string;
  onChange: ChangeEventHandler<HTMLInputElement>;
  autoComplete: 'current-password' | 'new-password';
  description?: string;
  error: string | undefined;
}

/** Shows a password field that warns when Caps Lock is on. */
export function PasswordField({ description, error, ...rest }: PasswordFieldProps) {
  const [isVisible, setVisible] = useState(false);
  const [isCapsLockOn, setCapsLockOn] = useState(false);
  const watchCapsLock = (event: KeyboardEvent) => setCapsLockOn(event.getModifierState('CapsLock'));
  const hint = isCapsLockOn ? 'Caps Lock is on.' : description;
  return (
    <PasswordInput
      {...rest}
      size="md"
      required
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{
        'aria-label': isVisible ? 'Hide password' : 'Show password',
        'aria-hidden': false,
        tabIndex: 0,
      }}
      onKeyDown={watchCapsLock}
      onKeyUp={watchCapsLock}
      onBlur={() => setCapsLockOn(false)}
      {...(hint === undefined ? {} : { description: <span aria-live="polite">{hint}</span> })}
      {...(error === undefined ? {} : { error })}
    />
  );
}
