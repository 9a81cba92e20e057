import { endianness } from 'node:os';
import type { EmbeddingsRequest } from '@model-gateway/shared';
import { notAsExpected } from '../../../errors/provider-errors.ts';

/**
 * Vectors in the shape of OpenAI's.
 * @param promptTokens undefined: nothing was counted
 * @throws GatewayError 502 where there is not one for each text
 */
export function toldVectors(
  vectors: readonly (readonly number[])[],
  promptTokens: number | undefined,
  { entries, isBase64 }: Pick<EmbeddingsRequest, 'entries' | 'isBase64'>,
): object {
  if (vectors.length !== entries) throw notAsExpected(new Error('it has not one vector for each text'));
  return {
    data: vectors.map((values, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(values) : values,
    })),
    ...(promptTokens === undefined ? {} : { usage: { prompt_tokens: promptTokens } }),
  };
}

/** Numbers of 32 bits each, the lowest byte first, as OpenAI writes them. */
function base64Of(values: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(values).buffer);
  return (endianness() === 'LE' ? bytes : bytes.swap32()).toString('base64');
}
