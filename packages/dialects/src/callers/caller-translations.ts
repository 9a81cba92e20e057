import { CALLERS_MODELS, CALLERS_NOTES, CALLERS_SESSION } from '@model-gateway/shared';
import type { Translation } from '../translation/translation.ts';
import { convertMessagesToChat } from './messages/convert-messages-to-chat.ts';
import { removeCarriedThinking } from './messages/remove-carried-thinking.ts';
import { removeOwnApiMembers } from './messages/remove-own-api-members.ts';
import { convertResponsesToChat } from './responses/convert-responses-to-chat.ts';
import { removeCarriedReasoning } from './responses/remove-carried-reasoning.ts';

/** Removes members that no provider gets. */
export const CHAT_TO_CHAT: Translation = {
  name: 'chat to chat',
  apply: ({
    [CALLERS_NOTES]: _notes,
    [CALLERS_MODELS]: _models,
    [CALLERS_SESSION]: _session,
    ...request
  }) => ({
    request,
    ignored: [],
  }),
};

export const MESSAGES_TO_CHAT: Translation = {
  name: 'messages to chat',
  apply: convertMessagesToChat,
};

export const RESPONSES_TO_CHAT: Translation = {
  name: 'responses to chat',
  apply: convertResponsesToChat,
};

export const MESSAGES_WITHOUT_CARRIED_STATE: Translation = {
  name: 'messages without carried state',
  apply: removeCarriedThinking,
};

export const MESSAGES_FOR_CLOUDS: Translation = {
  name: 'messages for clouds',
  apply: removeOwnApiMembers,
};

export const RESPONSES_WITHOUT_CARRIED_STATE: Translation = {
  name: 'responses without carried state',
  apply: removeCarriedReasoning,
};
