import {
  imageEvent,
  imageList,
  imagesRequest,
  speechEvent,
  speechRequest,
  transcription,
  transcriptionEvent,
  transcriptionFields,
  transcriptionRequest,
  verboseTranscription,
} from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { modelRequest } from '../model-request.ts';
import { jsonBody, requestBody } from '../request-bodies.ts';
import { eventContent, jsonContent, jsonOrEvents, proxiedAnswer } from '../success-answers.ts';

/** Bytes. OpenAPI 3.1 describes them with a media type; many generators still look for `format`. */
const bytes = z.string().meta({
  override: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
});

/** The form. Its other fields are texts; generators write them as texts whatever their type is here. */
const transcriptionForm = transcriptionFields.extend({
  file: bytes.describe('The audio, at most 25 MiB with the rest of the form.'),
  temperature: z.number().min(0).max(1).optional(),
  stream: z.boolean().optional(),
});

const AUDIO_TYPES = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'];

/** The routes that take or give images and sound. */
export const mediaRequestPaths: ZodOpenApiPathsObject = {
  '/v1/images/generations': modelRequest({
    operationId: 'createImage',
    summary: 'Images: draw from a prompt',
    description: 'With `"stream": true` the provider\'s `image_generation.*` events are passed on.',
    requestBody: jsonBody(imagesRequest.in, { model: 'acme/image', prompt: 'A lighthouse in fog' }),
    success: proxiedAnswer('The images, whole or as a stream.', jsonOrEvents(imageList, imageEvent)),
  }),
  '/v1/audio/speech': modelRequest({
    operationId: 'createSpeech',
    summary: 'Speech: read a text aloud',
    requestBody: jsonBody(speechRequest.in, { model: 'acme/speech', input: 'Hello!', voice: 'alloy' }),
    success: proxiedAnswer('The audio as it arrives; the type is that of the format.', {
      ...Object.fromEntries(AUDIO_TYPES.map((type) => [type, { schema: bytes }])),
      ...eventContent(speechEvent),
    }),
  }),
  '/v1/audio/transcriptions': modelRequest({
    operationId: 'createTranscription',
    summary: 'Transcriptions: write down what is said',
    requestBody: requestBody({
      'multipart/form-data': { schema: transcriptionForm },
      'application/json': { schema: transcriptionRequest.in },
    }),
    success: proxiedAnswer('The transcript in the format asked for.', {
      ...jsonContent(z.union([verboseTranscription, transcription])),
      'text/plain': { schema: z.string().describe('For `text`, `srt` and `vtt`.') },
      ...eventContent(transcriptionEvent),
    }),
  }),
};
