import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { formatShare } from '../../format/format-count.ts';

type Reason = ReceiptResponse['billingReason'];

/** The outcome of a request, in words for the payer. */
export interface Outcome {
  name: string;
  color: string;
  meaning: string;
}

const FIRST_ERROR = 400;
const CLIENT_DISCONNECTED = 499;
const FREE = 'A request that fails costs nothing.';

const REASONS: Record<Reason, Outcome> = {
  completed: {
    name: 'Completed',
    color: 'green',
    meaning: 'The response is complete and charged in full.',
  },
  aborted_partial: {
    name: 'Stopped early',
    color: 'yellow',
    meaning:
      'The connection ended before the response was complete. Only what was delivered is charged. Its length ' +
      'is estimated, because the provider did not report it.',
  },
  upstream_failed_free: {
    name: 'Failed, free of charge',
    color: 'red',
    meaning: `No provider returned a usable response. ${FREE}`,
  },
  estimated: {
    name: 'Completed, estimated',
    color: 'yellow',
    meaning: 'The response is complete, but the provider reported no usage, so the gateway estimated it.',
  },
  cache_hit: {
    name: 'Answered from the cache',
    color: 'green',
    meaning:
      'An earlier answer to the same request was sent again. No provider was called, and it costs nothing.',
  },
};

/** Explains failures by the error code of the response or, in old records, of the last attempt. */
const FAILURES: Readonly<Record<string, Omit<Outcome, 'color'>>> = {
  upstream_rejected: {
    name: 'Rejected, free of charge',
    meaning: `The provider rejected this request. The error in the response says why. ${FREE}`,
  },
  context_length_exceeded: {
    name: 'Too long, free of charge',
    meaning: `The conversation is longer than the model can read. Shorten it. ${FREE}`,
  },
  upstream_rate_limited: {
    name: 'Rate limited by the provider, free of charge',
    meaning: `The rate limit of the provider was reached. ${FREE}`,
  },
  upstream_timeout: {
    name: 'Timed out, free of charge',
    meaning: `The provider did not respond in time. ${FREE}`,
  },
};

export function describeOutcome({
  billingReason,
  errorCode,
  attempts,
}: Pick<ReceiptResponse, 'billingReason' | 'errorCode' | 'attempts'>): Outcome {
  const usual = REASONS[billingReason];
  if (billingReason !== 'upstream_failed_free') return usual;
  return { ...usual, ...FAILURES[errorCode ?? attempts.at(-1)?.errorCode ?? ''] };
}

/**
 * Describes the caller's response, which may differ from the provider's; undefined: unknown.
 * @param disconnected the words for a caller that had disconnected
 */
export function describeResponse(
  { status, errorCode }: Pick<ReceiptResponse, 'status' | 'errorCode'>,
  disconnected = 'you had disconnected',
): string | undefined {
  if (status === CLIENT_DISCONNECTED) return disconnected;
  if (status === null) return errorCode ?? undefined;
  if (errorCode === null) return String(status);
  return status < FIRST_ERROR ? `${status}, then ${errorCode}` : `${status} ${errorCode}`;
}

/** Describes who counted the usage. @param source null: nothing was used */
export function describeUsageSource(source: string | null): string {
  switch (source) {
    case null:
      return 'Nothing was used.';
    case 'provider':
      return 'The provider counted the units.';
    case 'gateway':
      return 'The gateway counted the units from what you sent.';
    case 'estimated':
      return 'The gateway estimated the units from the length of the texts, because the provider reported none.';
    default:
      return `The units were counted by: ${source}.`;
  }
}

/** Describes what decided which model, upstream and credential took the request. */
export function describeAffinity(affinity: string): string {
  switch (affinity) {
    case 'session':
      return 'session: all requests of this session go to the same provider';
    case 'prefix':
      return 'beginning of the conversation: all requests that begin so go to the same provider';
    default:
      return 'weight alone';
  }
}

/** Describes which part of the input the provider read from its prompt cache; undefined: no input. */
export function describeCachedShare({ units }: Pick<ReceiptResponse, 'units'>): string | undefined {
  const { inputTokens, cachedInputTokens } = units;
  return inputTokens === 0 ? undefined : formatShare(cachedInputTokens / inputTokens);
}

/** Describes the outcome of an attempt. */
export function describeAttempt({
  error,
  httpStatus,
  errorCode,
}: ReceiptResponse['attempts'][number]): string {
  if (error !== null) return error.charAt(0).toUpperCase() + error.slice(1);
  if (errorCode !== null)
    return httpStatus === null ? `No response (${errorCode})` : `${httpStatus}, ${errorCode}`;
  return httpStatus === null ? 'Ended before a response' : `Responded with ${httpStatus}`;
}
