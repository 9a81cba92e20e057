import { gaveUp, rejected } from '../../failures/provider-failures.ts';
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
  'MALFORMED_RESPONSE',
  'OTHER',
]);
/** The request lacks a signature of earlier reasoning: a retry would end the same. */
const LACKS_SIGNATURE = 'MISSING_THOUGHT_SIGNATURE';

/** @throws GatewayError 502 for an incomplete response, 400 if the request lacks a signature */
export function requireUnbrokenGemini({ finishMessage, finishReason }: GeminiResponse): void {
  if (finishReason === LACKS_SIGNATURE)
    throw rejected(400, `${LACKS_SIGNATURE}: ${words(finishMessage) ?? RESEND}`);
  if (finishReason !== undefined && BROKEN.has(finishReason))
    throw gaveUp(finishReason, words(finishMessage));
}

const RESEND = 'send the reasoning of earlier responses back unchanged';
const MAX_WORDS = 500;

function words(finishMessage: unknown): string | undefined {
  return nonEmptyText(finishMessage)?.slice(0, MAX_WORDS);
}

function finishReasonOf(reason: string, hasCalls: boolean): string {
  const known = Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return finishReasonFor(known ?? 'stop', hasCalls);
}

export interface GeminiEnd {
  reason: string;
  refusal: string | undefined;
}

/** @throws GatewayError as `requireUnbrokenGemini` */
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
