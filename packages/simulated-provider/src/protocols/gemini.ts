import { dataEvent } from '../answers/sse-event.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { checkKey, type Protocol } from './protocol.ts';

const OVERLOADED = 'The model is overloaded. Please try again later.';
const REFUSALS: Record<number, { message: string }> = {
  400: { message: 'The request was refused by simulation.' },
  401: { message: 'Request had invalid authentication credentials.' },
  403: { message: 'The caller does not have permission' },
  429: { message: 'You exceeded your current quota, please check your plan and billing details.' },
  500: { message: 'An internal error has occurred. Please retry or report in the troubleshooting guide.' },
  503: { message: OVERLOADED },
};
/** https://cloud.google.com/apis/design/errors */
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};
const BAD_KEY = {
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ],
};

/** Google's API of Gemini. */
export const GEMINI: Protocol = {
  vendor: 'google',
  credential: (headers) => {
    const key = headers['x-goog-api-key'];
    return typeof key === 'string' ? key : undefined;
  },
  checkHead(headers, apiKey) {
    checkKey(this.credential(headers), apiKey, {
      missing: new ProviderError(403, "Method doesn't allow unregistered callers. Please use API Key."),
      wrong: new ProviderError(400, 'API key not valid. Please pass a valid API key.', BAD_KEY),
    });
  },
  answerHeaders: (requestId) => ({ 'x-goog-request-id': requestId, 'server-timing': 'gfet4t7; dur=1' }),
  /** Gemini reports how long to wait only in the body. */
  bodyOnlyHeaders: ['retry-after'],
  errorBody: ({ details, headers, message, status }) => ({
    error: { code: status, message, status: STATUSES[status] ?? 'UNKNOWN', ...detailsOf(details, headers) },
  }),
  refusal: (status) => REFUSALS[status],
  unknownMember: (name) =>
    new ProviderError(400, `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`),
  stream: {
    faultAfterEvents: 2,
    isLast: ({ data }) => data.includes('"finishReason"') || data.includes('"promptFeedback"'),
    errorEvent: dataEvent({ error: { code: 503, message: OVERLOADED, status: 'UNAVAILABLE' } }),
    textEvent: {
      name: undefined,
      before: '{"candidates":[{"content":{"parts":[{"text":"',
      after: '"}],"role":"model"},"index":0}]}',
    },
  },
};

function detailsOf(details: object | undefined, headers: Readonly<Record<string, string>>): object {
  const wait = headers['retry-after'];
  if (wait === undefined) return details === undefined ? {} : { details };
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${wait}s` };
  return { details: [...(Array.isArray(details) ? details : []), retry] };
}
