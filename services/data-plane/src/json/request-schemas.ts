import {
  CHAT_MEMBERS,
  COMPLETIONS_MEMBERS,
  chatCompletionsRequest,
  completionsRequest,
  countTokensRequest,
  EMBEDDINGS_MEMBERS,
  embeddingsRequest,
  IMAGES_MEMBERS,
  imagesRequest,
  type KnownMembers,
  MESSAGES_MEMBERS,
  MODERATIONS_MEMBERS,
  messagesRequest,
  moderationsRequest,
  RERANK_MEMBERS,
  RESPONSES_MEMBERS,
  rerankRequest,
  responsesRequest,
  SPEECH_MEMBERS,
  speechRequest,
  TRANSCRIPTION_MEMBERS,
  transcriptionRequest,
} from '@model-gateway/shared';
import type { z } from 'zod';

interface RequestSchema {
  schema: z.ZodType;
  /** Top-level members whose spelling must be exact. */
  members: KnownMembers;
  /** Checks a valid request in a third of the time. Compiled for the first request, which takes 3 ms. */
  compiled?: z.ZodType;
}

/** Every schema of a JSON request, by name. A schema cannot be sent to another thread, but its name can. */
const SCHEMAS: Readonly<Record<string, RequestSchema>> = {
  chat: { schema: chatCompletionsRequest, members: CHAT_MEMBERS },
  messages: { schema: messagesRequest, members: MESSAGES_MEMBERS },
  responses: { schema: responsesRequest, members: RESPONSES_MEMBERS },
  countTokens: { schema: countTokensRequest, members: MESSAGES_MEMBERS },
  completions: { schema: completionsRequest, members: COMPLETIONS_MEMBERS },
  moderation: { schema: moderationsRequest, members: MODERATIONS_MEMBERS },
  embeddings: { schema: embeddingsRequest, members: EMBEDDINGS_MEMBERS },
  rerank: { schema: rerankRequest, members: RERANK_MEMBERS },
  images: { schema: imagesRequest, members: IMAGES_MEMBERS },
  speech: { schema: speechRequest, members: SPEECH_MEMBERS },
  transcription: { schema: transcriptionRequest, members: TRANSCRIPTION_MEMBERS },
};

export const SCHEMA_BY_NAME: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(SCHEMAS).map(([name, { schema }]) => [name, schema]),
);

export const NAME_OF_SCHEMA: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries(SCHEMAS).map(([name, { schema }]) => [schema, name]),
);

const LISTED: ReadonlyMap<z.ZodType, RequestSchema> = new Map(
  Object.values(SCHEMAS).map((listed) => [listed.schema, listed]),
);

/**
 * Returns the entry of a schema. Call this when a route is created, too, so that a missing entry shows at
 * once.
 * @throws Error for a schema that is not listed above: the worker could not validate its large bodies, and
 *   misspelled members would pass
 */
export function requireListed(schema: z.ZodType): RequestSchema {
  const listed = LISTED.get(schema);
  if (listed === undefined) throw new Error('the schema of a route is not listed in request-schemas.ts');
  return listed;
}
