import { type Rules, ruleOwner, rules } from '@model-gateway/shared/rules';
import type { z } from 'zod';
import { keyResource, keyResourceSchema } from '../keys/key-resource.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import { rulesResource } from '../rules/rules-change.ts';
import type { RulesStore } from '../rules/rules-store.ts';

/** Key with its own rules, as the management API shows it. */
export const keyWithRulesSchema = keyResourceSchema.extend({ rules });
export type KeyWithRules = z.infer<typeof keyWithRulesSchema>;

/** @param stored undefined: it has none */
export function keyWithRules(key: StoredKey, stored: Rules | undefined): KeyWithRules {
  return { ...keyResource(key), rules: rulesResource(stored) };
}

/** Returns the owner of a key's rules: a rotated key shares those of the keys that it replaced. */
export function rulesOwnerTextOf(key: Pick<StoredKey, 'id' | 'firstKeyId'>): string {
  return ruleOwner('key', key.firstKeyId ?? key.id);
}

/** Adds their own rules to keys. */
export async function addRules(
  { rulesStore }: { rulesStore: Pick<RulesStore, 'read'> },
  keys: readonly StoredKey[],
): Promise<KeyWithRules[]> {
  const stored = await rulesStore.read(keys.map(rulesOwnerTextOf));
  return keys.map((key) => keyWithRules(key, stored.get(rulesOwnerTextOf(key))));
}
