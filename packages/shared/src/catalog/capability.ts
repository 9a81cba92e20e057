import { z } from 'zod';

export const capability = z.enum(['chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription']);
export type Capability = z.infer<typeof capability>;
