import type { UsageGroupMessage } from '@model-gateway/contracts';

export interface KeyName {
  name: string;
  kind: 'issued' | 'playground' | 'demo';
  displayPrefix: string | null;
}

/** Used in place of a key's id: stands for all playground keys of the account together. */
export const PLAYGROUND_KEYS = 'playground';
export const PLAYGROUND: KeyName = { name: 'Playground', kind: 'playground', displayPrefix: null };

/** The name of the key of a group. A key without a name is a deleted one, which only playground keys are. */
export function keyName({
  keyName: name,
  keyKind,
  keyPrefix,
}: Pick<UsageGroupMessage, 'keyName' | 'keyKind' | 'keyPrefix'>): KeyName {
  if (name === undefined || keyKind === undefined || keyKind === 'playground') return PLAYGROUND;
  return { name, kind: keyKind === 'demo' ? 'demo' : 'issued', displayPrefix: keyPrefix ?? null };
}
