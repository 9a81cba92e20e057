import type { Translation } from '../../../translation/translation.ts';
import { embedRequest } from '../../cohere/request/embed-translation.ts';

/** Cohere's models on Bedrock take the body of Cohere's own API, but for the model. */
export const BEDROCK_EMBED_FROM_EMBEDDINGS: Translation = {
  name: 'cohere embed on bedrock from embeddings',
  leavesModelOut: true,
  apply: (request, { id }) => embedRequest(request, id),
};
