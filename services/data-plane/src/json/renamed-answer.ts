import { badGateway } from '@model-gateway/shared/errors';
import { withPlainEscapes } from './plain-escapes.ts';
import { scanJson } from './scan-json.ts';

/**
 * Puts the gateway's model id into a provider's answer, wherever it stands at the top level. Every other byte
 * stays, but for needless escapes.
 * @param text a JSON object
 * @throws GatewayError 502 when it is not certain what the answer says
 */
export function renamedAnswer(text: string, modelId: string): string {
  const plain = withPlainEscapes(text);
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
