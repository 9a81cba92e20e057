import { DONE_EVENT, dataEvent, typedEvent } from '../answers/sse-event.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { refusal, unknownParameter } from '../responses/explain-openai-issue.ts';
import { bearerToken } from '../text/signatures.ts';
import { checkKey, type Protocol } from './protocol.ts';

const INVALID_KEY = { message: 'Incorrect API key provided.', code: 'invalid_api_key' };
const REFUSALS: Record<number, { message: string; code?: string }> = {
  400: { message: 'The request was refused by simulation.' },
  401: INVALID_KEY,
  429: { message: 'Rate limit reached for requests.', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request.' },
  503: { message: 'The engine is currently overloaded, please try again later.' },
};
const STREAM_ERROR = {
  message: 'The server had an error while processing your request.',
  type: 'server_error',
  param: null,
  code: null,
};
/** These include the first token: created, in progress, item added, part added, delta. */
const EVENTS_TO_FIRST_TOKEN = 5;
const LAST_EVENTS: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The API of OpenAI, with the streams of Chat Completions. */
export const OPENAI: Protocol = {
  vendor: 'openai',
  credential: ({ authorization }) => bearerToken(authorization),
  checkHead({ authorization }, apiKey) {
    checkKey(bearerToken(authorization), apiKey, {
      missing: new ProviderError(401, "You didn't provide an API key."),
      wrong: new ProviderError(401, INVALID_KEY.message, { code: INVALID_KEY.code }),
    });
  },
  answerHeaders: (requestId) => ({ 'x-request-id': requestId }),
  // OpenAI's request id is a header, not in the body.
  errorBody: ({ status, message, param, code }) => ({
    error: { message, type: errorType(status), param, code },
  }),
  refusal: (status) => REFUSALS[status],
  unknownMember: (name) => new ProviderError(400, `Unrecognized request argument supplied: ${name}`),
  stream: {
    // The role and the first token.
    faultAfterEvents: 2,
    isLast: ({ data }) => data === DONE_EVENT.data,
    errorEvent: dataEvent({ error: STREAM_ERROR }),
    textEvent: {
      name: undefined,
      before: '{"choices":[{"index":0,"delta":{"content":"',
      after: '"},"finish_reason":null}]}',
    },
  },
};

/** The same API with the streams of Responses. */
export const OPENAI_RESPONSES: Protocol = {
  ...OPENAI,
  unknownMember: (name) => refusal(unknownParameter(name)),
  stream: {
    faultAfterEvents: EVENTS_TO_FIRST_TOKEN,
    isLast: ({ event }) => LAST_EVENTS.has(event),
    errorEvent: typedEvent('error', { sequence_number: EVENTS_TO_FIRST_TOKEN, error: STREAM_ERROR }),
    textEvent: {
      name: 'response.output_text.delta',
      before:
        `{"type":"response.output_text.delta","sequence_number":${EVENTS_TO_FIRST_TOKEN},` +
        '"item_id":"msg_simulated","output_index":0,"content_index":0,"logprobs":[],"delta":"',
      after: '"}',
    },
  },
};

function errorType(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
