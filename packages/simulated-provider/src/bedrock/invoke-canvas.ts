import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { drawImage } from '../images/draw-image.ts';

const side = z.int().min(320).max(4_096).multipleOf(16).optional();
const canvasRequest = z.strictObject({
  taskType: z.literal('TEXT_IMAGE'),
  textToImageParams: z.strictObject({ text: z.string().min(1).max(1_024) }),
  imageGenerationConfig: z
    .strictObject({
      numberOfImages: z.int().min(1).max(5).optional(),
      width: side,
      height: side,
      quality: z.enum(['standard', 'premium']).optional(),
    })
    .optional(),
  simulate: z.unknown().optional(),
});

/** Nova Canvas: pictures in base64, and no usage. */
export function invokeCanvas({ json }: ProviderExchange): Answer {
  const { imageGenerationConfig, textToImageParams } = parseFields(canvasRequest, json);
  const images = Array.from({ length: imageGenerationConfig?.numberOfImages ?? 1 }, (_, index) =>
    drawImage(textToImageParams.text, index).toString('base64'),
  );
  return jsonAnswer({ images, error: null });
}
