import { randomBytes } from 'node:crypto';
import type { ServedUnits } from '../billing/served-work.ts';
import { composeThinking, planText } from '../chat/compose-answer.ts';
import type { PlannedCall } from '../chat/marked-calls.ts';
import { type AnswerContext, preambleOf } from '../chat/preamble.ts';
import { planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { drawImage } from '../images/draw-image.ts';
import type { GeminiModel } from '../models.ts';
import { countTokens, takeTokens } from '../text/tokenizer.ts';
import type { ContentRequest } from './content-request.ts';
import { convertGeminiToChat } from './convert-gemini-to-chat.ts';
import { promptTokensByModality, sumOf } from './prompt-tokens-by-modality.ts';
import { thoughtSignature } from './thought-signature.ts';

/** A complete answer, which may be streamed or not. */
export interface PlannedContent {
  id: string;
  model: string;
  /** The reasoning, if it is shown. */
  thoughts: string | undefined;
  /** The beginning of the text, sent in one piece. */
  preamble: string;
  text: string;
  /** A PNG in base64, of a model that draws. */
  picture: string | undefined;
  calls: readonly PlannedCall[];
  /** Belongs to the first call, or to the text. */
  signature: string;
  finishReason: string;
  /** Why the prompt is refused. If set, there is nothing else. */
  blockReason: string | undefined;
  /** The tokens to bill. */
  billed: ServedUnits;
  /** The usage in the last event, which is that of the whole answer, and in the events before it. */
  usage: { atEnd: object | undefined; before: object | undefined };
}

/** Tokens of a picture of up to 1024×1024 pixels, from Google's price list. */
const TOKENS_PER_PICTURE = 1_290;
const BLOCK = /^block:/;
const NO_OUTPUT = { written: 0, drawn: 0, thoughts: 0 };

export function planContent(
  request: ContentRequest,
  { draws, id: model }: GeminiModel,
  context: AnswerContext,
): PlannedContent {
  const { fault } = context;
  const chat = convertGeminiToChat(request, model);
  const { maxOutputTokens, stopSequences = [], thinkingConfig } = request.generationConfig ?? {};
  const calls = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const thoughts = composeThinking(chat, calls);
  const { includeThoughts, thinkingBudget = 0, thinkingLevel } = thinkingConfig ?? {};
  const isThinking = thinkingBudget !== 0 || thinkingLevel !== undefined;
  const thoughtTokens = (isThinking ? countTokens(thoughts) : 0) + (fault.reasoning_tokens ?? 0);
  const whole = calls.length > 0 ? '' : (fault.content ?? planText(chat, 0));
  const ends = stopSequences.map((sequence) => whole.indexOf(sequence)).filter((at) => at !== -1);
  const maxTextTokens =
    maxOutputTokens === undefined ? undefined : Math.max(0, maxOutputTokens - thoughtTokens);
  const { isCut, text } = takeTokens(whole.slice(0, Math.min(whole.length, ...ends)), maxTextTokens);
  const preamble = preambleOf(context);
  const written = countTokens(preamble + text + calls.map((call) => JSON.stringify(call)).join(''));
  const blockReason = BLOCK.test(fault.stop_reason ?? '') ? fault.stop_reason?.replace(BLOCK, '') : undefined;
  const isDrawn = draws === true && calls.length === 0;
  const drawn = isDrawn ? TOKENS_PER_PICTURE : 0;
  const output = { written, drawn, thoughts: thoughtTokens };
  return {
    id: randomBytes(12).toString('base64url'),
    model,
    thoughts: isThinking && includeThoughts === true ? thoughts : undefined,
    preamble,
    text: preamble + text,
    picture: isDrawn ? drawImage(text, 0).toString('base64') : undefined,
    calls,
    signature: thoughtSignature(`${thoughts} ${randomBytes(4).toString('hex')}`),
    finishReason: fault.stop_reason ?? (isCut ? 'MAX_TOKENS' : 'STOP'),
    blockReason,
    billed: billedOf(request, blockReason === undefined ? output : NO_OUTPUT, fault),
    usage: usageOf(request, blockReason === undefined ? output : NO_OUTPUT, fault),
  };
}

/** Thoughts and pictures are billed as output. */
function billedOf(request: ContentRequest, output: typeof NO_OUTPUT, fault: Fault): ServedUnits {
  const prompt = promptTokensByModality(request);
  const cached = Math.min(fault.cached_tokens ?? 0, prompt.text);
  const { drawn, thoughts, written } = output;
  return { input: sumOf(prompt) - cached, cachedInput: cached, output: written + drawn + thoughts };
}

function usageOf(
  request: ContentRequest,
  { drawn, thoughts, written }: typeof NO_OUTPUT,
  fault: Fault,
): PlannedContent['usage'] {
  const prompt = promptTokensByModality(request);
  const total = sumOf(prompt);
  const cached = Math.min(fault.cached_tokens ?? 0, prompt.text);
  const details = Object.entries(prompt)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([kind, tokenCount]) => ({ modality: kind.toUpperCase(), tokenCount }));
  const usage = {
    promptTokenCount: total,
    // Google omits zeros.
    cachedContentTokenCount: cached || undefined,
    cacheTokensDetails: cached === 0 ? undefined : [{ modality: 'TEXT', tokenCount: cached }],
    ...(written + drawn === 0 ? {} : { candidatesTokenCount: written + drawn }),
    candidatesTokensDetails: drawn === 0 ? undefined : [{ modality: 'IMAGE', tokenCount: drawn }],
    totalTokenCount: total + written + drawn + thoughts,
    promptTokensDetails: details,
    thoughtsTokenCount: thoughts || undefined,
  };
  const before = {
    ...usage,
    candidatesTokenCount: Math.min(1, written),
    totalTokenCount: total + thoughts + 1,
  };
  return {
    atEnd: spoilUsage(usage, fault),
    before: fault.usage === 'on_last_chunk' ? { trafficType: 'ON_DEMAND' } : spoilUsage(before, fault),
  };
}
