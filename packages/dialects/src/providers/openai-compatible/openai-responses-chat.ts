import type { Chat } from '../../interfaces/chat.ts';
import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { openAiChat } from './openai-chat.ts';
import { passthroughResponse } from './passthrough-response.ts';
import { ResponsesPassthroughStream } from './passthrough-responses-stream.ts';
import { providerStoredResponses } from './provider-stored-responses.ts';
import { readPreviousResponseError } from './read-stored-response-error.ts';
import { type ResponseIds, replaceWithCallersId } from './replace-response-ids.ts';

type ResponsesChat = Extract<Chat, { api: 'responses' }>;

/** Chat Completions, and Responses beside them: each passes to and from callers of that API. */
export const openAiResponsesChat: ChatEndpoint = {
  apis: ['chat-completions', 'responses'],
  ask: (chat, upstreamModel, pace) => {
    if (chat.api !== 'responses') return openAiChat.ask(chat, upstreamModel, pace);
    const { previousResponseId } = chat;
    const { goesOn, previousResponseId: id, streamed } = chat.body.value;
    const edits =
      previousResponseId === undefined ? {} : { previous_response_id: JSON.stringify(previousResponseId) };
    const isKnown = id !== undefined && previousResponseId !== undefined;
    return buildPassthroughRequest(chat.passed(), (body) => ({
      path: '/responses',
      accept: streamed ? EVENTS : JSON_TYPE,
      body: jsonProviderBody(body, upstreamModel, edits),
      ...(goesOn ? { refusedAs: readPreviousResponseError(id) } : {}),
      ...(isKnown ? { withCallersIds: replaceWithCallersId(id, previousResponseId) } : {}),
    }));
  },
  events: (chat, providerId, upstreamModel) =>
    chat.api === 'responses'
      ? new ResponsesPassthroughStream(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
      : openAiChat.events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) =>
    chat.api === 'responses'
      ? passthroughResponse(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
      : openAiChat.whole(chat, providerId, upstreamModel),
  providerStored: providerStoredResponses,
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
): ResponseIds {
  const { previousResponseId: id } = body.value;
  return {
    modelId: model.id,
    sealed: (ofProvider) => caller.sealed(providerId, ofProvider),
    previous: id === undefined || responseId === undefined ? undefined : { id, responseId },
  };
}
