import { withPlainEscapes } from './plain-escapes.ts';
import { withMembers } from './with-members.ts';

/**
 * Replaces the top-level `model` of a provider's response by the gateway's model id. Leaves every other byte,
 * except for needless escapes. @param text a JSON object; `value`: its parsed value
 */
export function renameModelInResponse(
  text: string,
  value: Readonly<Record<string, unknown>>,
  modelId: string,
): string {
  return withMembers(withPlainEscapes(text), value, new Map([['model', JSON.stringify(modelId)]]));
}
