export const PLAYGROUND_KEY_NAME = 'Playground';

interface KnownKey {
  keyName: string | null;
  keyKind: string | null;
}

/** Names a key that may be deleted: only playground keys ever are. */
export function namedKey({ keyName, keyKind }: KnownKey): { keyName: string; keyKind: string } {
  return { keyName: keyName ?? PLAYGROUND_KEY_NAME, keyKind: keyKind ?? 'playground' };
}
