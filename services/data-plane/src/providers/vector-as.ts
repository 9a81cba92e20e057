import type { EmbeddingsRequest } from '@model-gateway/shared';

/** A vector as the caller wants it; in base64 as OpenAI writes it: 32 bits each, the lowest byte first. */
export function vectorAs(
  vector: readonly number[],
  { isBase64 }: Pick<EmbeddingsRequest, 'isBase64'>,
): readonly number[] | string {
  if (!isBase64) return vector;
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4);
  return bytes.toString('base64');
}
