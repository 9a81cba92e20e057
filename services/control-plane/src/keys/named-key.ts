/** The name of every key of the playground. */
export const PLAYGROUND_KEY_NAME = 'Playground';

/** The name and the kind of a key; null where the key is deleted. */
interface KnownKey {
  keyName: string | null;
  keyKind: string | null;
}

/** Returns the name and the kind of a key that may be deleted: only keys of the playground ever are. */
export function namedKey({ keyName, keyKind }: KnownKey): { keyName: string; keyKind: string } {
  return { keyName: keyName ?? PLAYGROUND_KEY_NAME, keyKind: keyKind ?? 'playground' };
}
