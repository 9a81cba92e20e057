/** What a key of the playground is called. */
export const PLAYGROUND_KEY_NAME = 'Playground';

/** What is known of a key, null: nothing. */
interface KnownKey {
  keyName: string | null;
  keyKind: string | null;
}

/** Name and kind of a key that may be forgotten: only those of the playground ever are. */
export function namedKey({ keyName, keyKind }: KnownKey): { keyName: string; keyKind: string } {
  return { keyName: keyName ?? PLAYGROUND_KEY_NAME, keyKind: keyKind ?? 'playground' };
}
