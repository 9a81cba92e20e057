import type { Translation } from '../../translation/translation.ts';
import { convertChatToCohere } from './convert-chat-to-cohere.ts';

export const CHAT_TO_COHERE: Translation = {
  name: 'cohere chat from completions',
  apply: (request, model) => convertChatToCohere(request, model),
};
