import type { ReceiptAnswer } from '../../../../wire/receipts.ts';

type Reason = ReceiptAnswer['billingReason'];

/** What a billing reason means for the one who pays. */
export const REASONS: Record<Reason, { name: string; color: string; meaning: string }> = {
  completed: {
    name: 'Completed',
    color: 'green',
    meaning: 'The answer came in full, and all of it is charged.',
  },
  aborted_partial: {
    name: 'Stopped early',
    color: 'yellow',
    meaning:
      'The connection ended before the answer was complete. Only what had been delivered until then is charged; ' +
      'its length is estimated, as the provider never got to count it.',
  },
  upstream_failed_free: {
    name: 'Failed, free of charge',
    color: 'red',
    meaning: 'No provider could answer. A request that fails costs nothing.',
  },
  estimated: {
    name: 'Completed, estimated',
    color: 'yellow',
    meaning:
      'The answer came in full, but the provider did not say what it used, so the gateway has estimated it.',
  },
};

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

/** What came of an attempt at a provider. */
export function attemptMeaning({ httpStatus, errorCode }: ReceiptAnswer['attempts'][number]): string {
  if (errorCode !== null)
    return httpStatus === null ? `No answer (${errorCode})` : `${httpStatus}, ${errorCode}`;
  return httpStatus === null ? 'Left before it answered' : `Answered with ${httpStatus}`;
}
