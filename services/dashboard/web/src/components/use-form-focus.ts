import { type RefObject, useEffect, useRef } from 'react';
import { ApiError } from '../api/client.ts';

/**
 * Returns a reference for the form. When there are new problems, the first wrong field gets the focus. When
 * sending has failed, the focus goes to the field that the server names, or back to the button that lost it
 * while the form was being sent.
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
