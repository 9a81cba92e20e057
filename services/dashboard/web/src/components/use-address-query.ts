import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** Query parameters to set; undefined or empty removes one. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

export interface ChangeOptions {
  /** The change comes from a text field: typing without a break is one step in the history. */
  isTyping?: boolean;
}

/**
 * Keeps a page's filters in the URL; each change is a step that Back undoes. Holds the new value until the
 * router has rendered it, so that fields show typing at once and two quick changes both count.
 */
export function useAddressQuery(): [URLSearchParams, (parts: QueryChange, options?: ChangeOptions) => void] {
  const [query, setQuery] = useSearchParams();
  const [pending, setPending] = useState<URLSearchParams>();
  // The fields last typed into and the query after that, to detect that typing continues.
  const typed = useRef<string>(undefined);
  useEffect(() => {
    if (query.toString() === addressQuery().toString()) setPending(undefined);
  }, [query]);
  // Back may be pressed before the router renders the change, which it then never does.
  useEffect(() => {
    const drop = () => setPending(undefined);
    window.addEventListener('popstate', drop);
    return () => window.removeEventListener('popstate', drop);
  }, []);
  function change(parts: QueryChange, { isTyping = false }: ChangeOptions = {}): void {
    const before = addressQuery();
    const changed = new URLSearchParams(before);
    for (const [name, value] of Object.entries(parts)) {
      if (value === undefined || value === '') changed.delete(name);
      else changed.set(name, value);
    }
    if (changed.toString() === before.toString()) return;
    const fields = Object.keys(parts).join(' ');
    const continuesTyping = isTyping && typed.current === `${fields}?${before}`;
    typed.current = isTyping ? `${fields}?${changed}` : undefined;
    setPending(changed);
    setQuery(changed, { replace: continuesTyping, preventScrollReset: true });
  }
  return [pending ?? query, change];
}

/** Reads the query from the address bar, which is ahead of the router. */
function addressQuery(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}
