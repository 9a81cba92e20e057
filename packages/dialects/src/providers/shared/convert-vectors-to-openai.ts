import type { EmbeddingsRequest } from '@model-gateway/shared';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';

/** @throws GatewayError 502 unless there is one vector per text */
export function convertVectorsToOpenAi(
  vectors: readonly (readonly number[])[],
  promptTokens: number | undefined,
  { entries, isBase64 }: Pick<EmbeddingsRequest, 'entries' | 'isBase64'>,
): JsonObject {
  if (vectors.length !== entries)
    throw unexpectedJson(new Error(`it has ${vectors.length} vectors for ${entries} texts`));
  return {
    data: vectors.map((values, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(values) : values,
    })),
    ...(promptTokens === undefined ? {} : { usage: { prompt_tokens: promptTokens } }),
  };
}

/** Writes 32-bit little-endian floats, like OpenAI. */
function base64Of(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of values.entries())
    bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
