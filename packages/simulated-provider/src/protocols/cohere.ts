import { typedEvent } from '../answers/sse-event.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { bearerToken } from '../text/signatures.ts';
import { checkKey, type Protocol } from './protocol.ts';

/** https://docs.cohere.com/reference/errors. */
const REFUSALS: Record<number, { message: string }> = {
  400: { message: 'The request was refused by simulation.' },
  401: { message: 'invalid api token' },
  429: { message: 'Please wait and try again later' },
  500: { message: 'internal server error, this has been reported to our developers.' },
  503: { message: 'service unavailable' },
};

/** The second version of Cohere's API. */
export const COHERE: Protocol = {
  vendor: 'cohere',
  credential: ({ authorization }) => bearerToken(authorization),
  checkHead({ authorization }, apiKey) {
    checkKey(bearerToken(authorization), apiKey, {
      missing: new ProviderError(401, 'no api key supplied'),
      wrong: new ProviderError(401, 'invalid api token'),
    });
  },
  answerHeaders: (requestId) => ({ 'x-debug-trace-id': requestId }),
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
  refusal: (status) => REFUSALS[status],
  unknownMember: (name) => new ProviderError(422, `invalid request: unknown field '${name}'`),
  stream: {
    // The start of the message, that of its content, and the first token.
    faultAfterEvents: 3,
    isLast: ({ event }) => event === 'message-end',
    errorEvent: typedEvent('message-end', { delta: { error: 'NETWORK_ERROR', finish_reason: 'ERROR' } }),
    textEvent: {
      name: 'content-delta',
      before: '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"',
      after: '"}}}}',
    },
  },
};
