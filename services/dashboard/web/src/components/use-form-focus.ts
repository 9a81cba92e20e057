import { type RefObject, useEffect, useRef } from 'react';
import { ApiError } from '../api/client.ts';

/**
 * Gives the form to watch. When there are new problems, its first wrong field takes the focus; when sending it has
 * failed, the field that the server names does, or the button that lost the focus while the form was being sent.
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
