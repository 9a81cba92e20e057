import type { Translation } from '../../../translation/translation.ts';
import { convertChatToCohere } from './chat-request.ts';

export const CHAT_TO_COHERE: Translation = {
  name: 'cohere chat from completions',
  apply: (request, model) => convertChatToCohere(request, model),
};
