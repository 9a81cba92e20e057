import type { Chat, ChatApi } from '../../interfaces/chat.ts';
import type { ChatEndpoint, UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { CHAT_TO_OPENAI_RESPONSES } from './convert-chat-to-openai-responses.ts';
import { convertOpenAiResponseToChat } from './convert-openai-response-to-chat.ts';
import { OpenAiResponsesStreamToChat } from './convert-openai-responses-stream-to-chat.ts';
import { passthroughResponse } from './passthrough-response.ts';
import { ResponsesPassthroughStream } from './passthrough-responses-stream.ts';
import { providerStoredResponses } from './provider-stored-responses.ts';
import { readMissingObjectError } from './read-stored-response-error.ts';
import { type ResponseIds, replaceWithCallersId } from './replace-response-ids.ts';

const PATH = '/responses';
const COMPACT_PATH = '/responses/compact';

type ResponsesChat = Extract<Chat, { api: 'responses' }>;

/** Handles chats of callers of other APIs. */
type OtherChats = Pick<ChatEndpoint, 'buildRequest' | 'events' | 'whole'>;

/** A provider with Chat Completions and Responses: requests in both pass unchanged. */
export function openAiResponsesChat(chatCompletions: ChatEndpoint): ChatEndpoint {
  return endpointWith(chatCompletions, ['chat-completions', 'responses']);
}

/** Translates all chats to Responses, for models that refuse tools in Chat Completions. */
export const openAiResponsesFirstChat = endpointWith(
  {
    buildRequest: (chat, upstreamModel) =>
      buildTranslatedRequest(
        { path: PATH, accept: chat.body.value.streamed ? EVENTS : JSON_TYPE },
        chat.translate(upstreamModel, CHAT_TO_OPENAI_RESPONSES),
      ),
    events: ({ caller, model }) => new OpenAiResponsesStreamToChat(caller, model.id),
    whole: ({ caller, model }) => convertOpenAiResponseToChat(caller, model.id),
  },
  ['responses'],
);

function endpointWith(others: OtherChats, apis: readonly ChatApi[]): ChatEndpoint {
  return {
    apis,
    buildRequest: (chat, upstreamModel, pace) =>
      chat.api === 'responses'
        ? buildResponsesRequest(chat, upstreamModel)
        : others.buildRequest(chat, upstreamModel, pace),
    events: (chat, providerId, upstreamModel) =>
      chat.api === 'responses'
        ? new ResponsesPassthroughStream(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
        : others.events(chat, providerId, upstreamModel),
    whole: (chat, providerId, upstreamModel) =>
      chat.api === 'responses'
        ? passthroughResponse(chat.caller, idsOf(chat, providerId), noteOf(chat, providerId))
        : others.whole(chat, providerId, upstreamModel),
    providerStored: providerStoredResponses,
  };
}

function buildResponsesRequest(
  chat: ResponsesChat,
  upstreamModel: string,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { previousResponseId } = chat;
  const { goesOn, previousResponseId: id, streamed } = chat.body.value;
  const edits =
    previousResponseId === undefined ? {} : { previous_response_id: JSON.stringify(previousResponseId) };
  const isKnown = id !== undefined && previousResponseId !== undefined;
  return buildPassthroughRequest(chat.passthroughBody(), (body) => ({
    path: chat.compacts === true ? COMPACT_PATH : PATH,
    accept: streamed ? EVENTS : JSON_TYPE,
    body: jsonProviderBody(body, upstreamModel, edits),
    errorFor: readMissingObjectError(id, goesOn),
    ...(isKnown ? { replaceProviderIds: replaceWithCallersId(id, previousResponseId) } : {}),
  }));
}

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
