import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** Parts of the address; undefined or empty takes one out. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

export interface ChangeOptions {
  /** It comes from a field that is being typed into: all that is typed in one go is one step back. */
  isTyping?: boolean;
}

/**
 * What a page shows, as the query of its address says, and how to change it: each choice is a step that Back takes back.
 * The router follows at leisure; a field must hold at once what was typed into it, and two changes in a row must both
 * count.
 */
export function useAddressQuery(): [URLSearchParams, (parts: QueryChange, options?: ChangeOptions) => void] {
  const [query, setQuery] = useSearchParams();
  const [ahead, setAhead] = useState<URLSearchParams>();
  // What the last key press has led to, and in which fields.
  const typed = useRef<string>(undefined);
  useEffect(() => {
    if (query.toString() === addressQuery().toString()) setAhead(undefined);
  }, [query]);
  // Back may come before the router has rendered what it takes back: then nothing changes for the router.
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

/** As it is, even before the router has rendered it. */
function addressQuery(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}
