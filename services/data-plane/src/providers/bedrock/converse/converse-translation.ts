import type { Translation } from '../../../translation/translation.ts';
import { convertChatToConverse } from './converse-request.ts';

export const CHAT_TO_CONVERSE: Translation = {
  name: 'converse from completions',
  leavesModelOut: true,
  apply: (request, model) => convertChatToConverse(request, model, model.upstreamModel),
};
