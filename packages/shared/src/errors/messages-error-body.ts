import type { PublicError } from './public-error.ts';

/** Anthropic's error type per status. Other 4xx are `invalid_request_error`, the rest `api_error`. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
const FIRST_SERVER_STATUS = 500;

export interface MessagesErrorBody {
  type: 'error';
  error: {
    type: string;
    message: string;
    code: string;
    /** As in OpenAI's form, but absent instead of null. */
    param?: string;
    /** Details that Anthropic's client libraries act on. */
    details?: object;
    /** The figures of a code, e.g. `needed_usd`. */
    [detail: string]: string | number | null | object | undefined;
  };
  request_id: string;
}

/**
 * Anthropic's own words for a field that is refused. Its libraries then send the whole conversation instead
 * of its last turn (helpers for tools of the client library 1.12).
 */
const REFUSED_FIELDS: Readonly<Record<string, object>> = {
  thread: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
};

/** Anthropic's word for an error with this status. */
export function messagesErrorType(status: number): string {
  return TYPES[status] ?? (status < FIRST_SERVER_STATUS ? 'invalid_request_error' : 'api_error');
}

/** Anthropic's form of an error, with the gateway's own code and figures. */
export function messagesErrorBody(error: PublicError, requestId: string): MessagesErrorBody {
  const { code, details, message, param, status } = error;
  return {
    type: 'error',
    error: {
      ...details,
      type: messagesErrorType(status),
      message: code === 'context_length_exceeded' ? tooLongInWordsOfAnthropic(message) : message,
      code,
      ...(param === null ? {} : { param, ...detailsOf(param) }),
    },
    request_id: requestId,
  };
}

const ANTHROPIC_SAYS = 'prompt is too long';
/** At least three digits: smaller ones are numbers of messages, or parts of a version. */
const TOKEN_COUNTS = /\d{3,}/g;

/** Adds the words by which Anthropic's clients know to compact the conversation. */
function tooLongInWordsOfAnthropic(message: string): string {
  if (message.includes(ANTHROPIC_SAYS)) return message;
  const counts = [
    ...new Set(
      message
        .replaceAll(/(?<=\d),(?=\d{3})/g, '')
        .match(TOKEN_COUNTS)
        ?.map(Number),
    ),
  ];
  const [min, max] = counts.toSorted((one, other) => one - other);
  const known = counts.length === 2 ? `${ANTHROPIC_SAYS}: ${max} tokens > ${min} maximum` : ANTHROPIC_SAYS;
  return `${known}. The provider said: ${message}`;
}

function detailsOf(param: string): { details?: object } {
  const details = REFUSED_FIELDS[param];
  return details === undefined ? {} : { details };
}
