import type { JsonObject } from '../../../translation/json-object.ts';
import { askPassed } from '../../ask-passed.ts';
import type { Chat } from '../../chat.ts';
import type { ChatEndpoint } from '../../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../../json-body.ts';
import { chat as completions } from '../chat.ts';
import { kept } from './kept.ts';
import { notKept } from './not-kept.ts';
import { type OwnIds, withCallersId } from './own-ids.ts';
import { PassedEvents } from './passed-events.ts';
import { passedResponse } from './passed-response.ts';

type ResponsesChat = Extract<Chat, { api: 'responses' }>;

/** Chat Completions, and Responses beside them: each passes to and from callers of that API. */
export const chat: ChatEndpoint = {
  apis: ['chat-completions', 'responses'],
  ask: (chat, upstreamModel, pace) => {
    if (chat.api !== 'responses') return completions.ask(chat, upstreamModel, pace);
    const { previousResponseId } = chat;
    const { goesOn, previousResponseId: id, streamed } = chat.body.value;
    const edits =
      previousResponseId === undefined ? {} : { previous_response_id: JSON.stringify(previousResponseId) };
    const isKnown = id !== undefined && previousResponseId !== undefined;
    return askPassed(chat.passed(), (body) => ({
      path: '/responses',
      accept: streamed ? EVENTS : JSON_TYPE,
      body: jsonProviderBody(body, upstreamModel, edits),
      ...(goesOn ? { refusedAs: notKept(id) } : {}),
      ...(isKnown ? { withCallersIds: withCallersId(id, previousResponseId) } : {}),
    }));
  },
  events: (chat, providerId, upstreamModel) =>
    chat.api === 'responses'
      ? new PassedEvents(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
      : completions.events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) =>
    chat.api === 'responses'
      ? passedResponse(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
      : completions.whole(chat, providerId, upstreamModel),
  kept,
};

function noteOf(
  { background }: ResponsesChat,
  providerId: string,
): ((response: JsonObject) => void) | undefined {
  return background && ((response) => background.note(providerId, response));
}

function idsOf(
  { body, caller, model, previousResponseId: responseId }: ResponsesChat,
  providerId: string,
): OwnIds {
  const { previousResponseId: id } = body.value;
  return {
    modelId: model.id,
    sealed: (ofProvider) => caller.sealed(providerId, ofProvider),
    previous: id === undefined || responseId === undefined ? undefined : { id, responseId },
  };
}
