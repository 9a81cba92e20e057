import { causedByRequest } from '../../failures/provider-failures.ts';
import { nonEmptyText } from '../../json/json-object.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';
import type { GeminiResponse } from './parse-gemini-response.ts';

/** Source: `FinishReason` in Google's API reference. Unknown reasons become `stop`. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};
/** Reasons of an incomplete response. */
const BROKEN: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'OTHER',
]);

/** @throws GatewayError 502 for an incomplete response */
export function requireUnbrokenGemini({ finishReason }: GeminiResponse): void {
  if (finishReason === undefined || !BROKEN.has(finishReason)) return;
  // A prompt can provoke it, so it says nothing against the provider.
  throw causedByRequest(`the provider ended its answer with ${finishReason}`);
}

function finishReasonOf(reason: string, hasCalls: boolean): string {
  const known = Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return finishReasonFor(known ?? 'stop', hasCalls);
}

export interface GeminiEnd {
  reason: string;
  refusal: string | undefined;
}

/** @throws GatewayError 502 for an incomplete response */
export function mapGeminiFinishReason(answer: GeminiResponse, hasCalls: boolean): GeminiEnd {
  const { block, finishMessage, finishReason } = answer;
  if (block !== undefined) {
    const usual = `The model provider has blocked the prompt: ${block.reason.slice(0, MAX_REASON_LENGTH)}.`;
    return { reason: 'content_filter', refusal: nonEmptyText(block.message) ?? usual };
  }
  requireUnbrokenGemini(answer);
  const reason = finishReasonOf(finishReason ?? '', hasCalls);
  return { reason, refusal: reason === 'content_filter' ? nonEmptyText(finishMessage) : undefined };
}

const MAX_REASON_LENGTH = 100;
