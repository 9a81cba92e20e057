import type { Translation } from '../../../translation/translation.ts';
import { converseRequest } from './converse-request.ts';

export const CONVERSE_FROM_COMPLETIONS: Translation = {
  name: 'converse from completions',
  leavesModelOut: true,
  apply: (request, model) => converseRequest(request, model, model.upstreamModel),
};
