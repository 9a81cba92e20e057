import type { Translation } from '../../translation/translation.ts';
import { convertChatToConverse } from './convert-chat-to-converse.ts';

export const CHAT_TO_CONVERSE: Translation = {
  name: 'converse from completions',
  leavesModelOut: true,
  apply: (request, model) => convertChatToConverse(request, model, model.upstreamModel),
};
