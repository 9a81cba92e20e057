import { z } from 'zod';
import { speak } from '../audio/speak.ts';
import { embedText } from '../embeddings/embed-text.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import { drawImage } from '../images/draw-image.ts';
import { count, oneOf } from '../schemas/members.ts';
import type { ContentRequest } from './content-request.ts';

const EMBEDDER = 'sim-gemini-embed';
const DEFAULT_DIMENSIONS = 3_072;
const MAX_REQUESTS = 100;

const text = z.string().min(1);
const embedding = z.strictObject({
  model: z.string(),
  content: z.strictObject({ parts: z.array(z.strictObject({ text })).min(1) }),
  outputDimensionality: count(1, DEFAULT_DIMENSIONS).optional(),
});
const embeddings = z.strictObject({ requests: z.array(embedding).min(1) });

/** Embeds each text. Counts nothing, as Google does. @throws ProviderError */
export function embedContents(json: unknown, model: string): object {
  if (model !== EMBEDDER)
    throw new ProviderError(404, `models/${model} is not found for API version v1beta.`);
  const { data, error } = embeddings.safeParse(json);
  if (data === undefined) return refuse(`Invalid JSON payload received. ${error.issues[0]?.message}`);
  const { requests } = data;
  if (requests.length > MAX_REQUESTS)
    refuse('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch');
  return {
    embeddings: requests.map(({ content, model: named, outputDimensionality = DEFAULT_DIMENSIONS }) => {
      if (named !== `models/${model}`) refuse('* BatchEmbedContentsRequest.model: models must be the same');
      const all = content.parts.map((part) => part.text).join('\n');
      return { values: [...embedText(all, outputDimensionality)] };
    }),
  };
}

export const IMAGEN = 'imagen-sim';
const ratio = oneOf('1:1 3:4 4:3 9:16 16:9');
const prediction = z.strictObject({
  instances: z.tuple([z.strictObject({ prompt: text })]),
  parameters: z
    .strictObject({ sampleCount: count(1, 4).optional(), aspectRatio: ratio.optional() })
    .optional(),
});

/** Draws the pictures of Imagen, which counts nothing. @throws ProviderError 400 */
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

export const SPEAKER = 'sim-gemini-tts';

/** Speaks the text of a request. Returns samples in base64. @throws ProviderError 400 */
export function speakContent({ contents, generationConfig = {} }: ContentRequest): object {
  const { responseModalities = [], speechConfig } = generationConfig;
  if (responseModalities.length !== 1 || responseModalities[0] !== 'AUDIO')
    refuse('The requested combination of response modalities is not supported by the model: AUDIO only.');
  const voice = speechConfig?.voiceConfig.prebuiltVoiceConfig.voiceName ?? 'Kore';
  const words = contents.flatMap(({ parts }) => parts.flatMap((part) => part.text ?? [])).join(' ');
  const data = speak(words, voice, 1).toString('base64');
  const part = { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } };
  return {
    candidates: [{ content: { parts: [part], role: 'model' }, finishReason: 'STOP', index: 0 }],
    modelVersion: SPEAKER,
  };
}
