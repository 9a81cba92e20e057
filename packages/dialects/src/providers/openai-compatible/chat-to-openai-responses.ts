import type { Translation } from '../../translation/translation.ts';
import { convertChatToOpenAiResponses } from './convert-chat-to-openai-responses.ts';

export const CHAT_TO_OPENAI_RESPONSES: Translation = {
  name: 'responses of a provider from completions',
  apply: convertChatToOpenAiResponses,
};
