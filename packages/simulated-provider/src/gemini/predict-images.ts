import { z } from 'zod';
import { refuse } from '../errors/provider-error.ts';
import { drawImage } from '../images/draw-image.ts';

export const IMAGEN = 'imagen-sim';

const prediction = z.strictObject({
  instances: z.tuple([z.strictObject({ prompt: z.string().min(1) })]),
  parameters: z
    .strictObject({
      sampleCount: z.int().min(1).max(4).optional(),
      aspectRatio: z.enum(['1:1', '3:4', '4:3', '9:16', '16:9']).optional(),
    })
    .optional(),
  simulate: z.unknown().optional(),
});

/** The pictures of Imagen, which counts nothing. @throws ProviderError 400 */
export function predictImages(json: unknown): object {
  const { data, error } = prediction.safeParse(json);
  if (data === undefined) return refuse(`Invalid value: ${error.issues[0]?.message}`);
  const { instances, parameters } = data;
  const [{ prompt }] = instances;
  return {
    predictions: Array.from({ length: parameters?.sampleCount ?? 4 }, (_, index) => ({
      mimeType: 'image/png',
      bytesBase64Encoded: drawImage(prompt, index).toString('base64'),
    })),
  };
}
