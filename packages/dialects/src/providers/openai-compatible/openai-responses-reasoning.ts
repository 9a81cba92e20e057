import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';

/** Models without reasoning: they refuse `include`. */
const WITHOUT_REASONING = /^(?:gpt-[34]|chatgpt-|gpt-5(?:\.\d+)?-chat)/;
const ENCRYPTED = 'reasoning.encrypted_content';
/** Largest thinking budget of Messages for each effort. */
const EFFORT_BY_BUDGET = [
  [4_096, 'low'],
  [16_384, 'medium'],
] as const;

/** Requests encrypted reasoning, because the provider stores nothing, and a summary for `thinking`. */
export function openAiResponsesReasoning(
  { reasoning_effort, thinking }: JsonObject,
  upstreamModel: string,
  reader: FieldReader,
): JsonObject {
  if (WITHOUT_REASONING.test(upstreamModel)) {
    if (reasoning_effort !== undefined) reader.ignore('reasoning_effort');
    if (thinking !== undefined) reader.ignore('thinking');
    return {};
  }
  const settings = isObject(thinking) ? thinking : {};
  const given = reasoning_effort === undefined ? undefined : textAt(reasoning_effort, 'reasoning_effort');
  const effort = given ?? effortFor(settings);
  const wantsSummary =
    (settings.type === 'enabled' || settings.type === 'adaptive') && settings.display !== 'omitted';
  const reasoning = {
    ...(effort === undefined ? {} : { effort }),
    ...(wantsSummary ? { summary: 'auto' } : {}),
  };
  return { ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }), include: [ENCRYPTED] };
}

function effortFor({ budget_tokens: budget }: JsonObject): string | undefined {
  if (typeof budget !== 'number') return undefined;
  return EFFORT_BY_BUDGET.find(([max]) => budget <= max)?.[1] ?? 'high';
}
