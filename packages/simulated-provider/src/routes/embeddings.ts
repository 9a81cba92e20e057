import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { DEFAULT_DIMENSIONS, embedText, embedTokens, encodeBase64 } from '../embeddings/embed-text.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { count } from '../schemas/members.ts';
import { countTokens } from '../text/tokenizer.ts';

const MAX_INPUTS = 2048;
const text = z.string().min(1, 'expected a text that is not empty');
const tokens = z.array(count(0)).min(1, 'expected at least one token');

const embeddingsRequest = z.looseObject({
  model: z.string(),
  input: z.union(
    [text, tokens, z.array(text).min(1).max(MAX_INPUTS), z.array(tokens).min(1).max(MAX_INPUTS)],
    'expected a text, texts, tokens or arrays of tokens',
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: count(1, 4096).nullish(),
});

/** POST /v1/embeddings */
export function embeddings({ credential, fault, json, meter }: ProviderExchange): Answer {
  const request = parseFields(embeddingsRequest, json);
  requireModel(request.model, 'embeddings');
  const inputs = inputsOf(request.input);
  const dimensions = request.dimensions ?? DEFAULT_DIMENSIONS;
  const used = inputs.reduce((sum, input) => sum + tokensIn(input), 0);
  meter({ model: request.model, units: { input: used } });
  const usage = spoilUsage({ prompt_tokens: used, total_tokens: used }, fault);
  return jsonAnswer({
    object: 'list',
    data: inputs.map((input, index) => {
      const vector =
        typeof input === 'string' ? embedText(input, dimensions) : embedTokens(input, dimensions);
      const embedding = request.encoding_format === 'base64' ? encodeBase64(vector) : [...vector];
      return { object: 'embedding', index, embedding };
    }),
    model: request.model,
    usage,
    ...(fault.echo_credential ? { debug: credential } : {}),
  });
}

/** Converts the four forms of `input` to one: a list of texts or token arrays. */
function inputsOf(input: z.infer<typeof embeddingsRequest>['input']): (string | number[])[] {
  if (typeof input === 'string') return [input];
  const isTokens = input.every((entry) => typeof entry === 'number');
  return isTokens ? [input] : input.filter((entry) => typeof entry !== 'number');
}

function tokensIn(input: string | number[]): number {
  return typeof input === 'string' ? countTokens(input) : input.length;
}
