import type { KeyEntry, KeysAnswer } from '../../../../wire/keys.ts';

export type KeyFilter = 'all' | 'active' | 'revoked';

/** The keys that are to be shown, in the order in which they came. */
export function filterKeys(keys: readonly KeyEntry[], filter: KeyFilter): KeyEntry[] {
  return keys.filter(
    ({ revokedAtMs }) => filter === 'all' || (filter === 'revoked') === (revokedAtMs !== null),
  );
}

/** The answer as it will be once the key is revoked. */
export function withRevokedKey(answer: KeysAnswer, keyId: string, revokedAtMs: number): KeysAnswer {
  return {
    ...answer,
    keys: answer.keys.map((key) => (key.id === keyId ? { ...key, revokedAtMs } : key)),
  };
}
