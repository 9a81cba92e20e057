import type { Translation } from '../../../translation/translation.ts';
import { contentRequest } from './content-request.ts';

export const CONTENT_FROM_COMPLETIONS: Translation = {
  name: 'content from completions',
  leavesModelOut: true,
  apply: (request, model) => contentRequest(request, model, model.upstreamModel),
};
