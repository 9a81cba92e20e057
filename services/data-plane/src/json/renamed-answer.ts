import { badGateway } from '@model-gateway/shared/errors';
import { plainEscapes } from './plain-escapes.ts';
import { scanJson } from './scan-json.ts';

/** Escapes that no character of ASCII needs: they could hide a secret from a search in the text. */
const NEEDLESS_ESCAPES = /\\(?:\/|u00[2-7])/i;

/**
 * Puts the gateway's model id into a provider's answer, wherever it stands at the top level. Every other byte
 * stays, but for needless escapes.
 * @param text a JSON object
 * @throws GatewayError 502 when it is not certain what the answer says
 */
export function renamedAnswer(text: string, modelId: string): string {
  const plain = NEEDLESS_ESCAPES.test(text) ? plainEscapes(Buffer.from(text)).bytes.toString() : text;
  const model = JSON.stringify(modelId);
  let renamed = plain;
  for (const { name, valueStart, end } of members(plain).toReversed()) {
    if (name === 'model') renamed = renamed.slice(0, valueStart) + model + renamed.slice(end);
  }
  return renamed;
}

function members(text: string) {
  try {
    return scanJson(text);
  } catch (cause) {
    throw badGateway(cause);
  }
}
