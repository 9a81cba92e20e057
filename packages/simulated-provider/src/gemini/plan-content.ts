import { randomBytes } from 'node:crypto';
import { composeThinking } from '../chat/compose-thinking.ts';
import { planText } from '../chat/plan-text.ts';
import type { PlannedCall } from '../chat/planned-call.ts';
import { planToolCalls } from '../chat/tool-calls.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { drawImage } from '../images/draw-image.ts';
import { takeTokens } from '../text/take-tokens.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { asChatRequest } from './as-chat-request.ts';
import type { ContentRequest } from './content-request.ts';
import { promptTokens } from './prompt-tokens.ts';
import { thoughtSignature } from './thought-signature.ts';

/** A complete answer; whether it is streamed is decided later. */
export interface PlannedContent {
  id: string;
  model: string;
  /** The reasoning, if it is shown. */
  thoughts: string | undefined;
  /** Sent in one piece before the text: what the knob `echo_credential` asks for. */
  preamble: string;
  text: string;
  /** A PNG in base64, of a model that draws. */
  picture: string | undefined;
  calls: readonly PlannedCall[];
  /** Belongs to the first call, or to the text. */
  signature: string;
  finishReason: string;
  /** Why the prompt is refused, which leaves nothing else. */
  blockReason: string | undefined;
  usage: { atEnd: object | undefined; before: object | undefined };
}

export interface ContentOptions {
  fault: Fault;
  credential: string | undefined;
  tokenizer: Tokenizer;
  model: string;
  draws: boolean;
}

/** Tokens of a picture of up to 1024×1024 pixels, from Google's price list. */
const TOKENS_PER_PICTURE = 1_290;
const BLOCK = /^block:/;

export function planContent(request: ContentRequest, options: ContentOptions): PlannedContent {
  const { credential, fault, model, tokenizer } = options;
  const chat = asChatRequest(request, model);
  const { generationConfig = {} } = request;
  const calls = fault.content === undefined ? planToolCalls(chat, 0) : [];
  const thoughts = composeThinking(chat, calls);
  const { includeThoughts, thinkingBudget, thinkingLevel } = generationConfig.thinkingConfig ?? {};
  const isThinking = (thinkingBudget !== undefined && thinkingBudget !== 0) || thinkingLevel !== undefined;
  const thoughtTokens = (isThinking ? tokenizer.count(thoughts) : 0) + (fault.reasoning_tokens ?? 0);
  const { isCut, text } = textOf(request, calls, thoughtTokens, options, fault.content ?? planText(chat, 0));
  const preamble = fault.echo_credential ? `You called me with ${credential ?? 'no credential'}. ` : '';
  const written = tokenizer.count(preamble + text + calls.map((call) => JSON.stringify(call)).join(''));
  const blockReason = BLOCK.test(fault.stop_reason ?? '') ? fault.stop_reason?.replace(BLOCK, '') : undefined;
  const isBlocked = blockReason !== undefined;
  const isDrawn = options.draws && calls.length === 0;
  const drawn = isDrawn ? TOKENS_PER_PICTURE : 0;
  const usage = usageOf(
    request,
    isBlocked ? { written: 0, drawn: 0, thoughts: 0 } : { written, drawn, thoughts: thoughtTokens },
    options,
  );
  return {
    id: randomBytes(12).toString('base64url'),
    model,
    thoughts: isThinking && includeThoughts === true ? thoughts : undefined,
    preamble,
    text: calls.length > 0 ? '' : text,
    picture: isDrawn ? drawImage(text, 0).toString('base64') : undefined,
    calls,
    signature: thoughtSignature(`${thoughts} ${randomBytes(4).toString('hex')}`),
    finishReason: fault.stop_reason ?? (isCut ? 'MAX_TOKENS' : 'STOP'),
    blockReason,
    usage,
  };
}

/** The text up to the first sequence that ends it, and up to as many tokens as there may be. */
function textOf(
  { generationConfig }: ContentRequest,
  calls: readonly PlannedCall[],
  thoughtTokens: number,
  { tokenizer }: ContentOptions,
  whole: string,
): { text: string; isCut: boolean } {
  if (calls.length > 0) return { text: '', isCut: false };
  const { maxOutputTokens, stopSequences = [] } = generationConfig ?? {};
  const ends = stopSequences.map((sequence) => whole.indexOf(sequence)).filter((at) => at !== -1);
  const said = whole.slice(0, Math.min(whole.length, ...ends));
  const most = maxOutputTokens === undefined ? undefined : Math.max(0, maxOutputTokens - thoughtTokens);
  return takeTokens(said, most, tokenizer);
}

function usageOf(
  request: ContentRequest,
  { drawn, thoughts, written }: { written: number; drawn: number; thoughts: number },
  { fault, tokenizer }: ContentOptions,
): PlannedContent['usage'] {
  const prompt = promptTokens(request, tokenizer);
  const total = prompt.text + prompt.image + prompt.audio + prompt.document;
  const cached = Math.min(fault.cached_tokens ?? 0, prompt.text);
  const details = Object.entries(prompt)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([kind, tokenCount]) => ({ modality: kind.toUpperCase(), tokenCount }));
  const usage = {
    promptTokenCount: total,
    ...(cached === 0
      ? {}
      : { cachedContentTokenCount: cached, cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }] }),
    // Zeros are left out.
    ...(written + drawn === 0 ? {} : { candidatesTokenCount: written + drawn }),
    ...(drawn === 0 ? {} : { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: drawn }] }),
    totalTokenCount: total + written + drawn + thoughts,
    promptTokensDetails: details,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
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
