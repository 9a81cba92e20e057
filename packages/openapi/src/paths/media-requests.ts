import {
  diarizedTranscription,
  imageEditFields,
  imageEvent,
  imageList,
  imagesRequest,
  MAX_EDITED_IMAGES,
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
import { eventContent, jsonContent, jsonOrEvents, proxiedResponse } from '../success-responses.ts';

/** Bytes. OpenAPI 3.1 describes them with a media type; many generators still look for `format`. */
const bytes = z.string().meta({
  override: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
});

/** The multipart form. All fields are sent as text, whatever their documented type. */
const transcriptionForm = transcriptionFields.extend({
  file: bytes.describe('The audio file. The whole form may have at most 25 MiB.'),
  temperature: z.number().min(0).max(1).optional(),
  stream: z.boolean().optional(),
});

/** The multipart form of an edit. */
const imageEditForm = imageEditFields.extend({
  image: z
    .union([bytes, z.array(bytes).max(MAX_EDITED_IMAGES)])
    .optional()
    .describe('The picture to edit.'),
  'image[]': z
    .array(bytes)
    .max(MAX_EDITED_IMAGES)
    .optional()
    .describe('Several pictures, up to 16. Send this or `image`.'),
  mask: bytes.optional().describe('Its transparent areas are those to edit in the first picture.'),
  markup: bytes.optional().describe('A transparent picture over the first one that guides the edit.'),
  n: z.int().min(1).max(10).optional(),
  partial_images: z.int().min(0).max(3).optional(),
  stream: z.boolean().optional(),
});

const AUDIO_TYPES = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'];

/** The routes for images and audio. */
export const mediaRequestPaths: ZodOpenApiPathsObject = {
  '/v1/images/generations': modelRequest({
    operationId: 'createImage',
    summary: 'Images: generate from a prompt',
    description: 'With `"stream": true` the response has the `image_generation.*` events of the provider.',
    requestBody: jsonBody(imagesRequest.in, { model: 'acme/image', prompt: 'A lighthouse in fog' }),
    success: proxiedResponse('The images, whole or as a stream.', jsonOrEvents(imageList, imageEvent)),
  }),
  '/v1/images/edits': modelRequest({
    operationId: 'editImage',
    summary: 'Images: edit pictures by a prompt',
    description:
      'The whole form may have at most 25 MiB. With `stream` the response has the `image_edit.*` events of the ' +
      'provider.',
    requestBody: requestBody({ 'multipart/form-data': { schema: imageEditForm } }),
    success: proxiedResponse('The images, whole or as a stream.', jsonOrEvents(imageList, imageEvent)),
  }),
  '/v1/audio/speech': modelRequest({
    operationId: 'createSpeech',
    summary: 'Speech: convert text to speech',
    requestBody: jsonBody(speechRequest.in, { model: 'acme/speech', input: 'Hello!', voice: 'alloy' }),
    success: proxiedResponse('The audio, streamed in the media type of `response_format`.', {
      ...Object.fromEntries(AUDIO_TYPES.map((type) => [type, { schema: bytes }])),
      ...eventContent(speechEvent),
    }),
  }),
  '/v1/audio/transcriptions': modelRequest({
    operationId: 'createTranscription',
    summary: 'Transcriptions: convert speech to text',
    requestBody: requestBody({
      'multipart/form-data': { schema: transcriptionForm },
      'application/json': { schema: transcriptionRequest.in },
    }),
    success: proxiedResponse('The transcript in the requested format.', {
      ...jsonContent(z.union([diarizedTranscription, verboseTranscription, transcription])),
      'text/plain': { schema: z.string().describe('For `text`, `srt` and `vtt`.') },
      ...eventContent(transcriptionEvent),
    }),
  }),
};
