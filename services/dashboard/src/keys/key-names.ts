import type { UsageGroupMessage } from '@model-gateway/contracts';

export interface KeyName {
  name: string;
  kind: 'issued' | 'playground' | 'demo';
  displayPrefix: string | null;
}

/** In place of a key's id: all of the account's keys of the playground together. */
export const PLAYGROUND_KEYS = 'playground';
export const PLAYGROUND: KeyName = { name: 'Playground', kind: 'playground', displayPrefix: null };

/** How the key of a group is called. Only keys of the playground are ever forgotten. */
export function keyName({
  keyName: name,
  keyKind,
  keyPrefix,
}: Pick<UsageGroupMessage, 'keyName' | 'keyKind' | 'keyPrefix'>): KeyName {
  if (name === undefined || keyKind === undefined || keyKind === 'playground') return PLAYGROUND;
  return { name, kind: keyKind === 'demo' ? 'demo' : 'issued', displayPrefix: keyPrefix ?? null };
}
