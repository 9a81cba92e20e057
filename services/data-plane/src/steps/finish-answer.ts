import { PatientTimer } from '@model-gateway/service-kit';
import { costNotRecorded } from '@model-gateway/shared/errors';
import type { Exchange } from '../http/exchange.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import { modelOf } from '../request-record.ts';
import type { AnswerRelay } from '../upstream/capability-call.ts';

/** When a paid response ends: at once, or after its cost is committed (SETTLEMENT). */
export type SettlementMode = 'background' | 'acknowledged';

/** How long a response waits for a silent control plane, and the upper bound for a slow one. */
const COMMIT_MS = 10_000;
const MAX_COMMIT_MS = 30_000;

export interface FinishContext {
  settlementMode: SettlementMode;
  keyWatch: Pick<KeyWatch, 'patience'>;
}

/**
 * Sends the last byte of a settled request.
 * @returns undefined if no commit has to be awaited
 * @throws GatewayError 503 if the awaited commit does not come; the response stays incomplete, but is billed
 *   once the control plane is back
 */
export function finishAnswer(
  context: FinishContext,
  exchange: Exchange,
  answer: AnswerRelay,
): Promise<void> | undefined {
  const { record } = exchange;
  if (
    context.settlementMode === 'acknowledged' &&
    modelOf(record)?.price !== undefined &&
    record.settled !== undefined
  )
    return finishAfterCommit(context, exchange, record.settled.committed, answer);
  answer.finish();
  return undefined;
}

async function finishAfterCommit(
  { keyWatch }: FinishContext,
  { stop }: Exchange,
  committed: Promise<void>,
  answer: AnswerRelay,
): Promise<void> {
  const cut = new AbortController();
  const abandon = () => cut.abort(stop.signal.reason);
  const patience = keyWatch.patience(COMMIT_MS, MAX_COMMIT_MS);
  const timer = new PatientTimer(patience, () => cut.abort(costNotRecorded()));
  stop.signal.addEventListener('abort', abandon);
  if (stop.signal.aborted) abandon();
  try {
    await Promise.race([committed, rejectOnAbort(cut.signal)]);
  } catch (failure) {
    answer.fail(failure);
    throw failure;
  } finally {
    timer.clear();
    stop.signal.removeEventListener('abort', abandon);
  }
  answer.finish();
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
