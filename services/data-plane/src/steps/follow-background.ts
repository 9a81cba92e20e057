import type { RoutedModel } from '../catalog/model-table.ts';
import { usageOf } from '../metering/usage.ts';
import type { Exchange } from '../request-record.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import type { BackgroundResponses } from '../upstream/background-responses.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

export interface FollowContext {
  backgroundResponses: Pick<BackgroundResponses, 'follow'>;
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
}

/**
 * Leaves a paid request open whose provider works on it after its answer: its money stays set aside until that
 * has ended. Sets `record.usage` and `record.outcome` anew.
 * @param settle called once, when it has ended, unless this returns false
 * @returns false: it is to be settled at once
 */
export function followBackground(
  { backgroundResponses, checkpoints }: FollowContext,
  exchange: Exchange,
  model: RoutedModel,
  { background, most }: Pick<CapabilityCall, 'background' | 'most'>,
  settle: () => void,
): boolean {
  if (background === undefined) return false;
  const { record } = exchange;
  const estimate = usageOf('estimated', most);
  const { workedOn } = background;
  if (workedOn === undefined) {
    // Nobody knows the id of what its provider may have begun.
    if (record.usage === undefined && isUnanswered(exchange)) record.usage = estimate;
    return false;
  }
  // If this process is killed, nobody asks the provider any more.
  const unfollow = checkpoints.follow(exchange, { usage: () => estimate });
  // Of a stream that its caller left: what had gone out by then is not free because the rest has failed.
  const delivered = record.streamed ? record.usage : undefined;
  backgroundResponses.follow({
    exchange,
    model,
    workedOn,
    most,
    settle: (usage) => {
      unfollow();
      record.usage = usage ?? delivered;
      record.outcome = usage === undefined ? 'failed' : 'completed';
      settle();
    },
  });
  return true;
}

/** Whether the caller left, or this process stopped, before the provider had answered. */
function isUnanswered({ record: { attempts, outcome } }: Exchange): boolean {
  const last = attempts.at(-1);
  const isCut = outcome === 'client_gone' || outcome === 'cut';
  return isCut && last !== undefined && (last.httpStatus === undefined || last.httpStatus === 200);
}
