import type { Translation } from '../../../translation/translation.ts';
import { messagesRequest } from './messages-request.ts';

export const MESSAGES_FROM_COMPLETIONS: Translation = {
  name: 'messages from completions',
  apply: (request, model) => messagesRequest(request, model, model.upstreamModel),
};
