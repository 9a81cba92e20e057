import type { KeyEntry, KeysResponse } from '../../../../wire/keys.ts';

export type KeyState = 'all' | 'active' | 'revoked';

/** The orders in which keys can be shown, and their names on the page. */
export const KEY_ORDERS = {
  created: 'Newest first',
  used: 'Last used first',
  busiest: 'Most requests this month first',
  name: 'By name',
} as const;
export type KeyOrder = keyof typeof KEY_ORDERS;

/** The filter and order of the list, stored in the URL. */
export interface KeyView {
  /** Words that must all match: part of the key's or team's name, the start of the key, or its id. */
  text: string;
  state: KeyState;
  order: KeyOrder;
}

/** Reads the view from the query of the page's address; unknown values are ignored. */
export function keyViewOf(query: URLSearchParams): KeyView {
  const state = query.get('show');
  const order = query.get('sort');
  return {
    text: query.get('q') ?? '',
    state: state === 'active' || state === 'revoked' ? state : 'all',
    order: isOrder(order) ? order : 'created',
  };
}

/**
 * Removes the secret part of a pasted key from a search text, because browsers store URLs in their history.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/(gw_live_\w{8})\w+/g, '$1');
}

/** @param keys all keys, the newest first */
export function shownKeys(keys: readonly KeyEntry[], { text, state, order }: KeyView): KeyEntry[] {
  const words = text.split(/\s+/).filter(Boolean);
  const found = keys.filter((key) => {
    if (state !== 'all' && (state === 'revoked') !== (key.revokedAtMs !== null)) return false;
    const searched = [key.name, key.seat?.teamName].join(' ').toLowerCase();
    // Only the start of a key counts, because short words occur in some keys by chance.
    return words.every(
      (word) =>
        searched.includes(word.toLowerCase()) || key.displayPrefix.startsWith(word) || key.id === word,
    );
  });
  switch (order) {
    case 'created':
      return found;
    case 'used':
      return found.sort((a, b) => (b.lastUsedAtMs ?? 0) - (a.lastUsedAtMs ?? 0));
    case 'busiest':
      return found.sort((a, b) => b.requestsThisMonth - a.requestsThisMonth);
    case 'name':
      return found.sort((a, b) => byName.compare(a.name, b.name));
  }
}

/** Returns a copy of the response in which one key is revoked. */
export function withRevokedKey(response: KeysResponse, keyId: string, revokedAtMs: number): KeysResponse {
  const keys = response.keys.map((key) => (key.id === keyId ? { ...key, revokedAtMs } : key));
  return { ...response, keys };
}

function isOrder(text: string | null): text is KeyOrder {
  return text !== null && Object.hasOwn(KEY_ORDERS, text);
}

/** Natural order: worker 9 before worker 10. */
const byName = new Intl.Collator('en', { numeric: true });
