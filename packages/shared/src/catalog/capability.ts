import { z } from 'zod';

export const capability = z.enum([
  'chat',
  'completions',
  'embeddings',
  'rerank',
  'images',
  'speech',
  'transcription',
  'moderation',
]);
export type Capability = z.infer<typeof capability>;
