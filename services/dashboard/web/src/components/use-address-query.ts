import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** Parts of the address's query; undefined or empty removes a part. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

export interface ChangeOptions {
  /** The change comes from a text field: what is typed in one go is one step in the history. */
  isTyping?: boolean;
}

/**
 * The choices of a page, as the query of its address says, and a function to change them. Each choice is a
 * step that the Back button undoes. The router updates the address a little later, but a field must show at
 * once what was typed, and of two changes in a row both must count.
 */
export function useAddressQuery(): [URLSearchParams, (parts: QueryChange, options?: ChangeOptions) => void] {
  const [query, setQuery] = useSearchParams();
  const [ahead, setAhead] = useState<URLSearchParams>();
  // The address after the last key press, and the fields that were typed into.
  const typed = useRef<string>(undefined);
  useEffect(() => {
    if (query.toString() === addressQuery().toString()) setAhead(undefined);
  }, [query]);
  // Back may be pressed before the router has rendered the change, which then sees none.
  useEffect(() => {
    const follow = () => setAhead(undefined);
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
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
    const goesOn = isTyping && typed.current === `${fields}?${before}`;
    typed.current = isTyping ? `${fields}?${changed}` : undefined;
    setAhead(changed);
    setQuery(changed, { replace: goesOn, preventScrollReset: true });
  }
  return [ahead ?? query, change];
}

/** The present query, even before the router has rendered it. */
function addressQuery(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}
