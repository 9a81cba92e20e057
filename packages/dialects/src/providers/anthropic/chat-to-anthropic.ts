import type { Translation } from '../../translation/translation.ts';
import { convertChatToAnthropic } from './convert-chat-to-anthropic.ts';

export const CHAT_TO_ANTHROPIC: Translation = {
  name: 'messages from completions',
  apply: (request, model) => convertChatToAnthropic(request, model, model.upstreamModel),
};
