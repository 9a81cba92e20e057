import { CALLERS_NOTES, type ProviderTraits } from '@model-gateway/shared';
import type { TextCompletion } from '../../interfaces/chat.ts';
import type { TextEndpoint } from '../../interfaces/provider-protocol.ts';
import { parseChatResponse } from '../../usage/parse-chat-response.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { OpenAiChatStream } from './openai-chat-stream.ts';

/** POST /completions. A stream and its usage have the form of Chat Completions. */
export function openAiCompletions(traits: ProviderTraits): TextEndpoint<TextCompletion> {
  return {
    /** Always requests the usage of a stream: the gateway bills by it. */
    buildRequest: ({ body }, upstreamModel) => {
      const { streamed, streamOptionsJson } = body.value;
      const edits =
        streamOptionsJson === undefined || !traits.stream_usage
          ? { [CALLERS_NOTES]: undefined }
          : { [CALLERS_NOTES]: undefined, stream_options: streamOptionsJson };
      return {
        path: '/completions',
        accept: streamed ? EVENTS : JSON_TYPE,
        body: jsonProviderBody(body, upstreamModel, edits),
      };
    },
    events: ({ body, caller }) =>
      new OpenAiChatStream(caller, { traits, choices: body.value.returnedChoices }),
    whole: ({ caller }) => ({
      whole: (value, text) => caller.completion(parseChatResponse(value), text),
      outline: { within: 'choices', depth: 3 },
      large: (answer) => caller.large(answer),
    }),
  };
}
