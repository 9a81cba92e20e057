import { z } from 'zod';
import { parseEventJson } from '../../failures/parse-event-json.ts';
import type { EventFraming } from '../../interfaces/event-framing.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import { awsEvents, type StreamException } from './aws-event-stream.ts';

const chunk = z.looseObject({ bytes: z.base64() });

/** Anthropic's error type for each exception of Bedrock. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  validationException: 'invalid_request_error',
  serviceUnavailableException: 'overloaded_error',
  modelTimeoutException: 'timeout_error',
};

/** InvokeModelWithResponseStream wraps events of Messages in base64. */
export const bedrockClaudeFraming: EventFraming = awsEvents({
  event: (type, json) => (type === 'chunk' ? eventIn(json) : undefined),
  exception,
});

function eventIn(json: string): string {
  const bytes = parseEventJson(json, (text) => chunk.parse(parseBoundedJson(text)).bytes);
  return Buffer.from(bytes, 'base64').toString();
}

/** Converts an exception to an error event of Messages. */
function exception({ message, type }: StreamException): string {
  const errorType = Object.hasOwn(ERROR_TYPES, type) ? ERROR_TYPES[type] : undefined;
  return JSON.stringify({ type: 'error', error: { type: errorType ?? 'api_error', message } });
}
