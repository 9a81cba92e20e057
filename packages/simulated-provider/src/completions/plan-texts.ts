import { z } from 'zod';
import { composeAnswer } from '../chat/compose-answer.ts';
import type { AnswerContext } from '../chat/preamble.ts';
import { preambleOf } from '../chat/preamble.ts';
import { count } from '../schemas/members.ts';
import { countTokens, sumTokens, takeTokens } from '../text/tokenizer.ts';

/** OpenAI's default, and vLLM's. */
const DEFAULT_MAX_TOKENS = 16;
const tokens = z.array(z.int().min(0)).min(1);

/** The fields of a request that are read; all others are accepted and ignored. */
export const completionsRequest = z.looseObject({
  model: z.string(),
  prompt: z.union(
    [z.string(), z.null(), tokens, z.array(z.string()).min(1), z.array(tokens).min(1)],
    'expected texts or tokens',
  ),
  suffix: z.string().nullish(),
  max_tokens: count(0).nullish(),
  n: count(1, 128).nullish(),
  best_of: count(1, 20).nullish(),
  echo: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  service_tier: z.string().nullish(),
});
export type CompletionsRequest = z.infer<typeof completionsRequest>;

export interface TextChoice {
  /** The echoed prompt, and what `echo_credential` puts before the text. A stream sends it in one piece. */
  before: string;
  text: string;
  finishReason: string;
}

export interface PlannedTexts {
  /** Those of the first prompt come first. */
  choices: TextChoice[];
  promptTokens: number;
  /** Also of the alternatives of `best_of` that are not returned. */
  completionTokens: number;
}

export function planTexts(request: CompletionsRequest, context: AnswerContext): PlannedTexts {
  const n = request.n ?? 1;
  const alternatives = Math.max(n, request.best_of ?? n);
  const prompts = promptsIn(request.prompt);
  const preamble = preambleOf(context);
  const planned = prompts.map((prompt) =>
    Array.from({ length: alternatives }, (_, index) => planText(request, prompt, index, context.fault)),
  );
  const returned = planned.map((ofPrompt) => ofPrompt.slice(0, n));
  const ofPreamble = countTokens(preamble) * prompts.length * n;
  return {
    choices: returned.flatMap((ofPrompt, index) =>
      ofPrompt.map(({ text, finishReason }) => ({
        before: (request.echo === true ? textOf(prompts[index]) : '') + preamble,
        text,
        finishReason,
      })),
    ),
    promptTokens:
      prompts.reduce((sum, prompt) => sum + tokensOf(prompt), 0) + sumTokens([request.suffix ?? '']),
    completionTokens: planned.flat().reduce((sum, choice) => sum + choice.tokens, ofPreamble),
  };
}

type Prompt = string | number[];

function promptsIn(prompt: CompletionsRequest['prompt']): Prompt[] {
  if (prompt === null || typeof prompt === 'string') return [prompt ?? ''];
  if (prompt.every((entry) => typeof entry === 'number')) return [prompt];
  return prompt.filter((entry) => typeof entry !== 'number');
}

function planText(request: CompletionsRequest, prompt: Prompt, index: number, fault: AnswerContext['fault']) {
  const whole = fault.content ?? ` ${composeAnswer([{ role: 'user', content: textOf(prompt) }], index)}`;
  const { text, tokens, isCut } = takeTokens(whole, request.max_tokens ?? DEFAULT_MAX_TOKENS);
  return { text, tokens, finishReason: fault.stop_reason ?? (isCut ? 'length' : 'stop') };
}

/** Tokens stand for a text of their own, since the models have no vocabulary. */
function textOf(prompt: Prompt = ''): string {
  return typeof prompt === 'string' ? prompt : ' tok'.repeat(prompt.length);
}

function tokensOf(prompt: Prompt): number {
  return typeof prompt === 'string' ? countTokens(prompt) : prompt.length;
}
