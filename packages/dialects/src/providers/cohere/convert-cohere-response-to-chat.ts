import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { buildChatCompletion, buildChatMessage } from '../shared/build-chat-completion.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import { billedTokens, convertCohereUsage, countCohereUsage } from './cohere-usage.ts';
import { convertCohereCitations } from './convert-cohere-citations.ts';
import { mapCohereFinishReason } from './map-cohere-finish-reason.ts';
import { readCohereArguments } from './read-cohere-arguments.ts';

const part = z.looseObject({ type: z.string(), text: z.string().nullish(), thinking: z.string().nullish() });
const call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
});
const answer = z.looseObject({
  id: z.string().nullish(),
  message: z.looseObject({
    content: z.array(part).max(MAX_PARTS).nullish(),
    tool_plan: z.string().nullish(),
    tool_calls: z.array(call).max(MAX_PARTS).nullish(),
    citations: z
      .array(z.looseObject({ content_index: z.number().nullish() }))
      .max(MAX_PARTS)
      .nullish(),
  }),
  finish_reason: z.string(),
  usage: z.unknown().optional(),
});
type Answer = z.infer<typeof answer>;

export function convertCohereResponseToChat(caller: ChatCaller, modelId: string): JsonTranslator {
  return {
    whole: (value) => {
      const parsed = answer.safeParse(value);
      if (!parsed.success) throw unexpectedJson(parsed.error);
      const { finish_reason, id, message, usage } = parsed.data;
      const hasCalls = (message.tool_calls ?? []).length > 0;
      const choice = {
        message: messageOf(message),
        finish_reason: mapCohereFinishReason(finish_reason, hasCalls),
      };
      const billed = billedTokens(usage);
      const converted = billed === undefined ? undefined : convertCohereUsage(billed);
      if (billed !== undefined) caller.count(countCohereUsage(billed));
      return caller.completion(buildChatCompletion(id, modelId, choice, converted));
    },
  };
}

/** Puts `tool_plan`, the text before tool calls, before the content. */
function messageOf({ citations, content, tool_calls, tool_plan }: Answer['message']): JsonObject {
  let text = tool_plan ?? '';
  let reasoning = '';
  const offsets: number[] = [];
  for (const one of content ?? []) {
    offsets.push(text.length);
    if (one.type === 'text') text += one.text ?? '';
    if (one.type === 'thinking') reasoning += one.thinking ?? '';
  }
  const calls = (tool_calls ?? []).map(({ function: called, id }) => ({
    id,
    type: 'function',
    function: { name: called.name, arguments: readCohereArguments(called.arguments) },
  }));
  const annotations = (citations ?? []).flatMap((one) =>
    convertCohereCitations(one, offsets[one.content_index ?? 0] ?? 0),
  );
  return buildChatMessage({ text, reasoning, calls, annotations });
}
