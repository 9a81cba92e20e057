import { badGateway } from '@model-gateway/shared/errors';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import { causedByRequest, rateLimitedInStream, unexpectedJson } from '../../failures/provider-failures.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { MAX_PARTS } from '../shared/max-parts.ts';
import { readGoogleFailure, waitSecondsIn } from './read-gemini-error.ts';

/** A response of generateContent, or an event. */
export interface GeminiResponse {
  id: string | undefined;
  /** The parts of the first candidate. */
  parts: readonly JsonObject[];
  /** Undefined: the candidate continues. */
  finishReason: string | undefined;
  /** Google's explanation of the finish reason. */
  finishMessage: unknown;
  /** Why the prompt was refused. */
  block: { reason: string; message: unknown } | undefined;
  usage: unknown;
}

/** @throws GatewayError 502 for anything but an event and for an error, 429 for RESOURCE_EXHAUSTED */
export function parseGeminiEvent(data: string): GeminiResponse {
  const value = parseEventJson(data, parseExactJson);
  // Avoids parsing an error in every event.
  const failure = isObject(value) && !('error' in value) ? undefined : readGoogleFailure(value);
  if (failure !== undefined) {
    const status = (failure.status ?? 'an unknown status').slice(0, 100);
    const message = `the provider sent an error event: ${status}`;
    if (status === LIMITED) throw rateLimitedInStream(message, waitSecondsIn(failure));
    throw OF_THE_REQUEST.has(status) ? causedByRequest(message) : badGateway(new Error(message));
  }
  const answer = readResponse(value);
  if (answer === undefined) throw causedByRequest('the provider sent an event that is none');
  return answer;
}

const OF_THE_REQUEST: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'FAILED_PRECONDITION']);
const LIMITED = 'RESOURCE_EXHAUSTED';

/** @throws GatewayError 502 for an incomplete response */
export function parseGeminiResponse(value: unknown): GeminiResponse {
  const answer = readResponse(value);
  if (answer !== undefined && (answer.finishReason !== undefined || answer.block !== undefined))
    return answer;
  throw unexpectedJson(new Error('it is no answer of generateContent'));
}

/** @throws GatewayError 502 for too many parts */
function readResponse(value: unknown): GeminiResponse | undefined {
  if (!isObject(value) || 'error' in value) return undefined;
  const { candidates, promptFeedback, responseId, usageMetadata } = value;
  const [candidate, ...others] = Array.isArray(candidates) ? candidates : [];
  const block = blockIn(promptFeedback);
  const isAnswer = candidate !== undefined || block !== undefined || isObject(usageMetadata);
  if (!isAnswer || others.length > 0 || (candidate !== undefined && !isObject(candidate))) return undefined;
  const { content, finishMessage, finishReason } = candidate ?? {};
  const parts = isObject(content) ? (content.parts ?? []) : [];
  if (!Array.isArray(parts) || !parts.every(isObject)) return undefined;
  if (parts.length > MAX_PARTS) throw unexpectedJson(new Error('it has too many parts'));
  return {
    id: typeof responseId === 'string' ? responseId : undefined,
    parts,
    finishReason: typeof finishReason === 'string' ? finishReason : undefined,
    finishMessage,
    block,
    usage: usageMetadata,
  };
}

function blockIn(feedback: unknown): GeminiResponse['block'] {
  if (!isObject(feedback) || typeof feedback.blockReason !== 'string') return undefined;
  return { reason: feedback.blockReason, message: feedback.blockReasonMessage };
}
