import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { countTokens } from '../text/tokenizer.ts';

/** Each category applies to texts with one of its words. */
const CATEGORIES: Readonly<Record<string, RegExp>> = {
  harassment: /\b(idiot|stupid)\b/i,
  violence: /\b(kill|attack|bomb)\b/i,
};

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
]);
const moderationsRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(part).min(1)], 'expected texts or parts'),
});

/** POST /v1/moderations. Its usage is Mistral's: OpenAI sends none. */
export function moderations({ credential, fault, json, meter }: ProviderExchange): Answer {
  const request = parseFields(moderationsRequest, json);
  requireModel(request.model, 'moderation');
  const texts = textsOf(request.input);
  const used = texts.reduce((sum, text) => sum + countTokens(text), 0);
  meter({ model: request.model, units: { input: used } });
  return jsonAnswer({
    id: `modr-${texts.length}`,
    model: request.model,
    results: texts.map(resultOf),
    usage: spoilUsage({ prompt_tokens: used, total_tokens: used }, fault),
    ...(fault.echo_credential ? { debug: credential } : {}),
  });
}

/** Parts are one content together. */
function textsOf(input: z.infer<typeof moderationsRequest>['input']): string[] {
  if (typeof input === 'string') return [input];
  const texts = input.flatMap((entry) => (typeof entry === 'string' ? [entry] : []));
  if (texts.length > 0) return texts;
  const parts = input.flatMap((entry) => (typeof entry === 'object' && entry.type === 'text' ? [entry] : []));
  return [parts.map(({ text }) => text).join(' ')];
}

function resultOf(text: string): object {
  const applies = Object.entries(CATEGORIES).map(([name, words]) => [name, words.test(text)] as const);
  return {
    flagged: applies.some(([, is]) => is),
    categories: Object.fromEntries(applies),
    category_scores: Object.fromEntries(applies.map(([name, is]) => [name, is ? 0.9 : 0.01])),
  };
}
