import { PatientTimer } from '@model-gateway/service-kit';
import { costNotRecorded } from '@model-gateway/shared/errors';
import type { Exchange } from '../http/exchange.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import { modelOf } from '../request-record.ts';
import type { AnswerRelay } from '../upstream/capability-call.ts';

/** When the client sees the end of a paid answer: at once, or when its cost is committed (SETTLEMENT). */
export type SettlementMode = 'background' | 'acknowledged';

/** How long an answer waits for a control plane that is silent, and for one that is there, but behind. */
const COMMIT_MS = 10_000;
const MOST_COMMIT_MS = 30_000;

export interface FinishContext {
  settlementMode: SettlementMode;
  keyWatch: Pick<KeyWatch, 'patience'>;
}

/**
 * Sends the last byte of a settled request.
 * @throws GatewayError 503 when the commit is waited for and does not come; the answer is then not complete,
 *   and is billed all the same when the control plane is back
 */
export async function finishAnswer(
  { settlementMode, keyWatch }: FinishContext,
  { record, stop }: Exchange,
  answer: AnswerRelay,
): Promise<void> {
  if (
    settlementMode === 'acknowledged' &&
    modelOf(record)?.price !== undefined &&
    record.settled !== undefined
  ) {
    const cut = new AbortController();
    const abandon = () => cut.abort(stop.signal.reason);
    const patience = keyWatch.patience(COMMIT_MS, MOST_COMMIT_MS);
    const late = new PatientTimer(patience, () => cut.abort(costNotRecorded()));
    stop.signal.addEventListener('abort', abandon);
    if (stop.signal.aborted) abandon();
    try {
      await Promise.race([record.settled, rejected(cut.signal)]);
    } catch (failure) {
      answer.fail(failure);
      throw failure;
    } finally {
      late.clear();
      stop.signal.removeEventListener('abort', abandon);
    }
  }
  answer.finish();
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
