import type { Capability } from './capability.ts';

/** The one endpoint that serves models of a capability. */
export const CAPABILITY_ENDPOINTS: Record<Capability, string> = {
  chat: '/v1/chat/completions',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
};
