import {
  chatCompletionsRequest,
  embeddingsRequest,
  imagesRequest,
  rerankRequest,
  speechRequest,
  transcriptionRequest,
} from '@model-gateway/shared';
import type { z } from 'zod';

/** Every schema of a JSON request, by a name: a schema cannot be sent to another thread, but its name can. */
const SCHEMAS = {
  chat: chatCompletionsRequest,
  embeddings: embeddingsRequest,
  rerank: rerankRequest,
  images: imagesRequest,
  speech: speechRequest,
  transcription: transcriptionRequest,
};

export const SCHEMA_BY_NAME: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(SCHEMAS));

export const NAME_OF_SCHEMA: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]),
);
