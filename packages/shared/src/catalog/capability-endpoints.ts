import type { Capability } from './capability.ts';

/** The endpoints that serve models of a capability. The first one is the recommended one. */
export const CAPABILITY_ENDPOINTS: Record<Capability, readonly [string, ...string[]]> = {
  chat: ['/v1/chat/completions', '/v1/messages', '/v1/responses'],
  completions: ['/v1/completions'],
  embeddings: ['/v1/embeddings'],
  rerank: ['/v1/rerank'],
  images: ['/v1/images/generations', '/v1/images/edits'],
  speech: ['/v1/audio/speech'],
  transcription: ['/v1/audio/transcriptions'],
  moderation: ['/v1/moderations'],
};
