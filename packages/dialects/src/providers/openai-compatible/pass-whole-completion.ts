import type { ProviderTraits } from '@model-gateway/shared';
import type { ChatCompletionsCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { withMembers } from '../../json/with-members.ts';
import { parseChatResponse } from '../../usage/parse-chat-response.ts';
import { hasOpenAiUsage, placeUsage } from './place-usage.ts';

/** Passes a whole response on, with its usage where OpenAI's API has it. */
export function passWholeCompletion(
  traits: ProviderTraits,
): (caller: ChatCompletionsCaller) => JsonTranslator {
  const placed = placeUsage(traits);
  // A large response is only outlined, and its usage must be where the outline looks for it.
  const outline = hasOpenAiUsage(traits) ? ({ within: 'choices', depth: 3 } as const) : undefined;
  return (caller) => ({
    whole: (value, text) => {
      const received = parseChatResponse(value);
      const completion = placed(received);
      if (completion === received) return caller.completion(completion, text);
      const usage = new Map([['usage', JSON.stringify(completion.usage)]]);
      return caller.completion(completion, withMembers(text, received, usage));
    },
    outline,
    large: outline && ((answer) => caller.large(answer)),
  });
}
