import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { ApiError } from '../api/client.ts';
import { ErrorNotice } from './error-notice.tsx';
import type { FormState } from './use-form.ts';

interface FormProps {
  label?: string;
  form: FormState;
  children: ReactNode;
}

/** Shows the fields of a form; an invalid field gets the focus on submit. */
export function Form({ label, form, children }: FormProps) {
  return (
    <form
      ref={useFormFocus(form)}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <Stack gap="md">{children}</Stack>
    </form>
  );
}

interface DialogActionsProps {
  form: FormState;
  submitLabel: string;
  onCancel: () => void;
}

/** Shows the error and the buttons of a form in a dialog. */
export function DialogActions({ form, submitLabel, onCancel }: DialogActionsProps) {
  return (
    <>
      <ErrorNotice error={form.error} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel} disabled={form.isPending}>
          Cancel
        </Button>
        <Button type="submit" loading={form.isPending}>
          {submitLabel}
        </Button>
      </Group>
    </>
  );
}

/**
 * Returns a ref for the form. Focuses the first invalid field, or after a failed submit the field that the
 * server names, else the submit button, which lost the focus while it was disabled.
 */
function useFormFocus({ problems, error }: FormState): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.values(problems).some((problem) => problem !== undefined)) {
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  }, [problems]);
  useEffect(() => {
    if (error === undefined || form.current === null) return;
    const param = error instanceof ApiError ? error.param : null;
    const named = param === null ? undefined : fieldOf(form.current, param);
    if (named !== undefined) named.focus();
    else if (!form.current.contains(document.activeElement)) {
      form.current.querySelector<HTMLElement>('[type=submit]')?.focus();
    }
  }, [error]);
  return form;
}

/** Finds the field of what the server names, such as `networks` for `rules.networks[0]`. */
function fieldOf({ elements }: HTMLFormElement, param: string): HTMLElement | undefined {
  const member = param.replace(/^rules\./, '');
  const found = [param, member, member.replace(/\[\d+\]$/, '')].map((name) => elements.namedItem(name));
  return found.find((element) => element instanceof HTMLElement);
}
