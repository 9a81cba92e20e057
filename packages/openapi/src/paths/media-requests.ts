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
import { errorAnswers, MODEL_ERRORS } from '../error-answers.ts';
import { ownRequestId } from '../parameters.ts';
import { jsonBody, requestBody } from '../request-bodies.ts';
import { KEY_REQUIRED } from '../security.ts';
import { eventContent, jsonContent, proxiedAnswer } from '../success-answers.ts';

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
  '/v1/images/generations': {
    post: {
      operationId: 'createImage',
      tags: ['Models'],
      summary: 'Images: draw from a prompt',
      description: 'With `"stream": true` the provider\'s `image_generation.*` events are passed on.',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(imagesRequest.in, { model: 'acme/image', prompt: 'A lighthouse in fog' }),
      responses: {
        ...proxiedAnswer('The images, whole or as a stream.', {
          ...jsonContent(imageList),
          ...eventContent(imageEvent),
        }),
        ...errorAnswers(...MODEL_ERRORS),
      },
    },
  },
  '/v1/audio/speech': {
    post: {
      operationId: 'createSpeech',
      tags: ['Models'],
      summary: 'Speech: read a text aloud',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: jsonBody(speechRequest.in, { model: 'acme/speech', input: 'Hello!', voice: 'alloy' }),
      responses: {
        ...proxiedAnswer('The audio as it arrives; the type is that of the format.', {
          ...Object.fromEntries(AUDIO_TYPES.map((type) => [type, { schema: bytes }])),
          ...eventContent(speechEvent),
        }),
        ...errorAnswers(...MODEL_ERRORS),
      },
    },
  },
  '/v1/audio/transcriptions': {
    post: {
      operationId: 'createTranscription',
      tags: ['Models'],
      summary: 'Transcriptions: write down what is said',
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      requestBody: requestBody({
        'multipart/form-data': { schema: transcriptionForm },
        'application/json': { schema: transcriptionRequest.in },
      }),
      responses: {
        ...proxiedAnswer('The transcript in the format asked for.', {
          ...jsonContent(z.union([verboseTranscription, transcription])),
          'text/plain': { schema: z.string().describe('For `text`, `srt` and `vtt`.') },
          ...eventContent(transcriptionEvent),
        }),
        ...errorAnswers(...MODEL_ERRORS),
      },
    },
  },
};
