import { CALLERS_NOTES, type ProviderTraits } from '@model-gateway/shared';
import type { TextCompletion } from '../../interfaces/chat.ts';
import type { TextEndpoint } from '../../interfaces/provider-protocol.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { OpenAiChatStream } from './openai-chat-stream.ts';
import { passWholeCompletion } from './pass-whole-completion.ts';

/** POST /completions. Its responses have the form of Chat Completions, with `text` in their choices. */
export function openAiCompletions(traits: ProviderTraits): TextEndpoint<TextCompletion> {
  const passedWhole = passWholeCompletion(traits);
  return {
    /** Always requests the usage of a stream: the gateway bills by it. */
    buildRequest: ({ body }, upstreamModel) => {
      const { streamed, streamOptionsJson } = body.value;
      const options =
        streamed || !traits.stream_usage
          ? { stream_options: traits.stream_usage ? streamOptionsJson : undefined }
          : {};
      return {
        path: '/completions',
        accept: streamed ? EVENTS : JSON_TYPE,
        body: jsonProviderBody(body, upstreamModel, { [CALLERS_NOTES]: undefined, ...options }),
      };
    },
    events: ({ body, caller }) =>
      new OpenAiChatStream(caller, { traits, choices: body.value.returnedChoices }),
    whole: ({ caller }) => passedWhole(caller),
  };
}
