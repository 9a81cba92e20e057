import type { ListHolderKeysResponseMessage } from '@model-gateway/contracts';

export interface KeyName {
  name: string;
  kind: 'issued' | 'playground' | 'demo';
  displayPrefix: string | null;
}

/** In place of a key's id: all of the account's keys of the playground together. */
export const PLAYGROUND_KEYS = 'playground';

/** Keys of the playground stand in no list; every other one does, revoked ones too. */
const PLAYGROUND: KeyName = { name: 'Playground', kind: 'playground', displayPrefix: null };

/** How the account's keys are called, by their ids. */
export function keyNames({ keys }: ListHolderKeysResponseMessage): (keyId: string) => KeyName {
  const names = new Map<string, KeyName>();
  for (const { key } of keys) {
    if (key === null) continue;
    const { id, name, displayPrefix } = key;
    names.set(id, { name, displayPrefix, kind: key.kind === 'demo' ? 'demo' : 'issued' });
  }
  return (keyId) => names.get(keyId) ?? PLAYGROUND;
}
