import { type RefObject, useEffect, useRef } from 'react';
import { ApiError } from '../api/client.ts';

/**
 * Returns a ref for the form. Focuses the first invalid field, or after a failed submit the field that the
 * server names, else the submit button, which lost the focus while it was disabled.
 */
export function useFormFocus(
  problems: Record<string, string | undefined>,
  error: unknown,
): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (Object.values(problems).some((problem) => problem !== undefined)) {
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  }, [problems]);

  useEffect(() => {
    if (error === undefined || form.current === null) {
      return;
    }
    const param = error instanceof ApiError ? error.param : null;
    const named = param === null ? null : form.current.elements.namedItem(param);
    if (named instanceof HTMLElement) {
      named.focus();
    } else if (!form.current.contains(document.activeElement)) {
      form.current.querySelector<HTMLElement>('[type=submit]')?.focus();
    }
  }, [error]);

  return form;
}
