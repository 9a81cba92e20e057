import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';

/** Parts of the address; undefined or empty takes one out. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

/**
 * What a page shows, as the query of its address says, and how to change it. The router follows at leisure; a field must
 * hold at once what was typed into it, and two changes in a row must both count.
 */
export function useAddressQuery(): [URLSearchParams, (parts: QueryChange) => void] {
  const [query, setQuery] = useSearchParams();
  const [ahead, setAhead] = useState<URLSearchParams>();
  useEffect(() => {
    if (query.toString() === addressQuery().toString()) setAhead(undefined);
  }, [query]);
  function change(parts: QueryChange): void {
    const changed = addressQuery();
    for (const [name, value] of Object.entries(parts)) {
      if (value === undefined || value === '') changed.delete(name);
      else changed.set(name, value);
    }
    setAhead(changed);
    setQuery(changed, { replace: true, preventScrollReset: true });
  }
  return [ahead ?? query, change];
}

/** As it is, even before the router has rendered it. */
function addressQuery(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}
