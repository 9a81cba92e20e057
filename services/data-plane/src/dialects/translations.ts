import { CALLERS_MODELS, CALLERS_NOTES } from '@model-gateway/shared';
import type { Translation } from '../translation/translation.ts';
import { completionsRequest as fromMessages } from './messages/request/completions-request.ts';
import { withoutKept as messagesWithoutKept } from './messages/request/without-kept.ts';
import { completionsRequest as fromResponses } from './responses/request/completions-request.ts';
import { withoutKept as responsesWithoutKept } from './responses/request/without-kept.ts';

/** A request of Chat Completions in the shape that is translated on: without what no provider gets. */
export const COMPLETIONS: Translation = {
  name: 'completions',
  apply: ({ [CALLERS_NOTES]: _notes, [CALLERS_MODELS]: _models, ...request }) => ({ request, ignored: [] }),
};

export const COMPLETIONS_FROM_MESSAGES: Translation = {
  name: 'completions from messages',
  apply: fromMessages,
};

export const COMPLETIONS_FROM_RESPONSES: Translation = {
  name: 'completions from responses',
  apply: fromResponses,
};

export const MESSAGES_WITHOUT_KEPT: Translation = {
  name: 'messages without what is kept for others',
  apply: messagesWithoutKept,
};

export const RESPONSES_WITHOUT_KEPT: Translation = {
  name: 'responses without what is kept for others',
  apply: responsesWithoutKept,
};
