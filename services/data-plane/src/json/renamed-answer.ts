import { withPlainEscapes } from './plain-escapes.ts';
import { scanJson } from './scan-json.ts';

/**
 * Puts the gateway's model id into a provider's answer, wherever it stands at the top level. Every other byte
 * stays, but for needless escapes.
 * @param text a JSON object; `value`: what it says
 */
export function renamedAnswer(text: string, value: object, modelId: string): string {
  const plain = withPlainEscapes(text);
  const found = members(plain);
  // A model may write whatever JSON it is asked for.
  if (found === undefined) return JSON.stringify('model' in value ? { ...value, model: modelId } : value);
  const model = JSON.stringify(modelId);
  let renamed = plain;
  for (const { name, valueStart, end } of found.toReversed()) {
    if (name === 'model') renamed = renamed.slice(0, valueStart) + model + renamed.slice(end);
  }
  return renamed;
}

/** @returns undefined for what is not accepted in requests, such as the key `__proto__` */
function members(text: string) {
  try {
    return scanJson(text);
  } catch {
    return undefined;
  }
}
