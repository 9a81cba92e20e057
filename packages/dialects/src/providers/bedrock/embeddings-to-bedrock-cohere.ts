import type { Translation } from '../../translation/translation.ts';
import { convertEmbeddingsToCohere } from '../cohere/embeddings-to-cohere.ts';

/** Bedrock has the body of Cohere's own API, without the model. */
export const EMBEDDINGS_TO_BEDROCK_COHERE: Translation = {
  name: 'cohere embed on bedrock from embeddings',
  omitsModel: true,
  apply: (request, { id }) => convertEmbeddingsToCohere(request, id),
};
