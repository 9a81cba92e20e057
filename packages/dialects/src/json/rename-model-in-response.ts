import { withPlainEscapes } from './plain-escapes.ts';
import { withMembers } from './with-members.ts';

/**
 * Puts the gateway's model id into a provider's answer, wherever it stands at the top level. Every other byte
 * stays, but for needless escapes.
 * @param text a JSON object; `value`: what it says
 */
export function renameModelInResponse(
  text: string,
  value: Readonly<Record<string, unknown>>,
  modelId: string,
): string {
  return withMembers(withPlainEscapes(text), value, new Map([['model', JSON.stringify(modelId)]]));
}
