import type { UsageGroupMessage } from '@model-gateway/contracts';

export interface KeyName {
  name: string;
  kind: 'issued' | 'playground' | 'demo';
  displayPrefix: string | null;
}

/** Stands in for a key's id: all playground keys of the account, as one. */
export const PLAYGROUND_KEYS = 'playground';
export const PLAYGROUND: KeyName = { name: 'Playground', kind: 'playground', displayPrefix: null };

/** Names the key of a group. A key without a name was deleted, which happens only to playground keys. */
export function keyName({
  keyName: name,
  keyKind,
  keyPrefix,
}: Pick<UsageGroupMessage, 'keyName' | 'keyKind' | 'keyPrefix'>): KeyName {
  if (name === undefined || keyKind === undefined || keyKind === 'playground') return PLAYGROUND;
  return { name, kind: keyKind === 'demo' ? 'demo' : 'issued', displayPrefix: keyPrefix ?? null };
}
