import { rejected } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';

/** @param refusal the provider's text. @throws GatewayError 400 without an image: a prompt can cause it */
export function convertImagesToOpenAi(base64: readonly string[], refusal: string | undefined): JsonObject {
  if (base64.length === 0)
    throw rejected(400, refusal ?? 'The model has drawn no picture for this prompt. Change the prompt.');
  return {
    created: Math.floor(Date.now() / 1_000),
    data: base64.map((b64_json) => ({ b64_json })),
  };
}

/** Enough for four images of four megapixels that hardly compress, in base64. */
export const MAX_PICTURES_BYTES = 64 * 1024 * 1024;
