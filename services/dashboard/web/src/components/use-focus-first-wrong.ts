import { type RefObject, useEffect, useRef } from 'react';

/** Gives the form to watch: when there are new problems, its first wrong field takes the focus. */
export function useFocusFirstWrong(
  problems: Record<string, string | undefined>,
): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.values(problems).some((problem) => problem !== undefined)) {
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  }, [problems]);
  return form;
}
