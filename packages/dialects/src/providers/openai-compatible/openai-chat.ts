import { CALLERS_NOTES, type ProviderTraits } from '@model-gateway/shared';
import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { parseChatResponse } from '../../usage/parse-chat-response.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { chatWithTraits, hasRequestTraits, membersToChange } from './chat-with-traits.ts';
import { OpenAiChatStream } from './openai-chat-stream.ts';
import { passWholeCompletion } from './pass-whole-completion.ts';
import { placeUsage } from './place-usage.ts';

export function openAiChat(traits: ProviderTraits): ChatEndpoint {
  const translation = hasRequestTraits(traits) ? chatWithTraits(traits) : undefined;
  const toChange = membersToChange(traits);
  const placed = placeUsage(traits);
  const passedWhole = passWholeCompletion(traits);
  return {
    apis: ['chat-completions'],
    /** Always requests the usage of a stream: the gateway bills by it. */
    buildRequest: (chat, upstreamModel) => {
      const head = { path: '/chat/completions', accept: chat.body.value.streamed ? EVENTS : JSON_TYPE };
      if (chat.api !== 'chat-completions' || chat.body.value.refusedBySome.some((name) => toChange.has(name)))
        return buildTranslatedRequest(head, chat.translate(upstreamModel, translation));
      const { streamOptionsJson } = chat.body.value;
      const edits =
        streamOptionsJson === undefined || !traits.stream_usage
          ? { [CALLERS_NOTES]: undefined }
          : { [CALLERS_NOTES]: undefined, stream_options: streamOptionsJson };
      return { ...head, body: jsonProviderBody(chat.body, upstreamModel, edits) };
    },
    events: (chat) =>
      new OpenAiChatStream(chat.caller, {
        traits,
        choices: chat.api === 'chat-completions' ? chat.body.value.choices : 1,
      }),
    whole: (chat) => {
      const { caller } = chat;
      if (chat.api !== 'chat-completions')
        return { whole: (value) => caller.completion(placed(parseChatResponse(value))) };
      return passedWhole(chat.caller);
    },
  };
}
