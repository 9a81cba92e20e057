import { z } from 'zod';

/** What a model does. */
export const capability = z.enum(['chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription']);
export type Capability = z.infer<typeof capability>;
