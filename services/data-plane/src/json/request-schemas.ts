import {
  CHAT_MEMBERS,
  chatCompletionsRequest,
  EMBEDDINGS_MEMBERS,
  embeddingsRequest,
  IMAGES_MEMBERS,
  imagesRequest,
  type KnownMembers,
  RERANK_MEMBERS,
  rerankRequest,
  SPEECH_MEMBERS,
  speechRequest,
  TRANSCRIPTION_MEMBERS,
  transcriptionRequest,
} from '@model-gateway/shared';
import type { z } from 'zod';

/** Every schema of a JSON request, by name. A schema cannot be sent to another thread, but its name can. */
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

/** For each schema, the top-level members that must be spelled exactly. */
export const MEMBERS_OF_SCHEMA: ReadonlyMap<z.ZodType, KnownMembers> = new Map<z.ZodType, KnownMembers>([
  [chatCompletionsRequest, CHAT_MEMBERS],
  [embeddingsRequest, EMBEDDINGS_MEMBERS],
  [rerankRequest, RERANK_MEMBERS],
  [imagesRequest, IMAGES_MEMBERS],
  [speechRequest, SPEECH_MEMBERS],
  [transcriptionRequest, TRANSCRIPTION_MEMBERS],
]);
