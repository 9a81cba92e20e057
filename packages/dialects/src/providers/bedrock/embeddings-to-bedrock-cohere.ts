import type { Translation } from '../../translation/translation.ts';
import { convertEmbeddingsToCohere } from '../cohere/embeddings-to-cohere.ts';

/** Cohere's models on Bedrock take the body of Cohere's own API, but for the model. */
export const EMBEDDINGS_TO_BEDROCK_COHERE: Translation = {
  name: 'cohere embed on bedrock from embeddings',
  leavesModelOut: true,
  apply: (request, { id }) => convertEmbeddingsToCohere(request, id),
};
