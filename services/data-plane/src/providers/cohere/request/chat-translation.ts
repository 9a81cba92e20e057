import type { Translation } from '../../../translation/translation.ts';
import { chatRequest } from './chat-request.ts';

export const COHERE_CHAT_FROM_COMPLETIONS: Translation = {
  name: 'cohere chat from completions',
  apply: (request, model) => chatRequest(request, model),
};
