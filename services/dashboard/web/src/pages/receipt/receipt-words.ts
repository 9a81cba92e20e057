import type { ReceiptAnswer } from '../../../../wire/receipts.ts';

type Reason = ReceiptAnswer['billingReason'];

/** How a request went, in words for the payer. */
export interface Course {
  name: string;
  color: string;
  meaning: string;
}

const FIRST_ERROR = 400;
const CLIENT_HAD_LEFT = 499;
const FREE = 'A request that fails costs nothing.';

/** The meaning of each billing reason for the payer. */
const REASONS: Record<Reason, Course> = {
  completed: {
    name: 'Completed',
    color: 'green',
    meaning: 'The answer came in full, and all of it is charged.',
  },
  aborted_partial: {
    name: 'Stopped early',
    color: 'yellow',
    meaning:
      'The connection ended before the answer was complete. Only what had been delivered until then is ' +
      'charged; its length is estimated, as the provider never got to count it.',
  },
  upstream_failed_free: {
    name: 'Failed, free of charge',
    color: 'red',
    meaning: `No provider gave an answer that could be passed on. ${FREE}`,
  },
  estimated: {
    name: 'Completed, estimated',
    color: 'yellow',
    meaning:
      'The answer came in full, but the provider did not say what it used, so the gateway has estimated it.',
  },
};

/** Failures that need an explanation, by the error code of the answer or, for old records, of the attempt. */
const FAILURES: Readonly<Record<string, Omit<Course, 'color'>>> = {
  upstream_rejected: {
    name: 'Rejected, free of charge',
    meaning:
      'The provider answered that it does not take this request; the error it was answered with says ' +
      `why. ${FREE}`,
  },
  context_length_exceeded: {
    name: 'Too long, free of charge',
    meaning: `The conversation is longer than the model can read. Shorten it. ${FREE}`,
  },
  upstream_rate_limited: {
    name: 'Rate limited by the provider, free of charge',
    meaning: `The provider answered that it is asked too often at the moment. ${FREE}`,
  },
  upstream_timeout: {
    name: 'Timed out, free of charge',
    meaning: `The provider did not answer in time. ${FREE}`,
  },
};

export function courseOf({
  billingReason,
  errorCode,
  attempts,
}: Pick<ReceiptAnswer, 'billingReason' | 'errorCode' | 'attempts'>): Course {
  const usual = REASONS[billingReason];
  if (billingReason !== 'upstream_failed_free') return usual;
  return { ...usual, ...FAILURES[errorCode ?? attempts.at(-1)?.errorCode ?? ''] };
}

/** The answer that the caller got, which may differ from the provider's; undefined: not known. */
export function answeredWords({
  status,
  errorCode,
}: Pick<ReceiptAnswer, 'status' | 'errorCode'>): string | undefined {
  if (status === CLIENT_HAD_LEFT) return 'you had left';
  if (status === null) return errorCode ?? undefined;
  if (errorCode === null) return String(status);
  return status < FIRST_ERROR ? `${status}, then ${errorCode}` : `${status} ${errorCode}`;
}

/** @param source as in a receipt; null: nothing was consumed */
export function sourceMeaning(source: string | null): string {
  switch (source) {
    case null:
      return 'Nothing was used.';
    case 'provider':
      return 'The provider counted the units.';
    case 'gateway':
      return 'The gateway counted the units from what you sent.';
    case 'estimated':
      return 'The gateway estimated the units from the length of the texts, as the provider reported none.';
    default:
      return `The units were counted by: ${source}.`;
  }
}

/** How an attempt at a provider ended. */
export function attemptMeaning({ httpStatus, errorCode }: ReceiptAnswer['attempts'][number]): string {
  if (errorCode !== null)
    return httpStatus === null ? `No answer (${errorCode})` : `${httpStatus}, ${errorCode}`;
  return httpStatus === null ? 'Ended before it answered' : `Answered with ${httpStatus}`;
}
