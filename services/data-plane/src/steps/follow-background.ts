import { type EndedResponse, type Usage, usageOf } from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Charge, isStreamed } from '../request-record.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import type { BackgroundResponses, FollowedEnd } from '../upstream/background-responses.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

export interface FollowContext {
  backgroundResponses: Pick<BackgroundResponses, 'follow'>;
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
}

/** `outcome` left out: as it was when the answer ended. */
type FollowedCharge = Pick<Charge, 'usage'> & Partial<Charge>;

/**
 * Settles a request: at once, or, where its provider works on it after its answer, when that has ended. Until
 * then its money stays set aside.
 * @param settle called once
 */
export function followBackground(
  { backgroundResponses, checkpoints }: FollowContext,
  exchange: Exchange,
  model: RoutedModel,
  { background, most }: Pick<CapabilityCall, 'background' | 'most'>,
  settle: (charge: Charge) => void,
): void {
  const { record } = exchange;
  const { outcome, usage } = record;
  if (background === undefined) {
    settle({ usage, outcome });
    return;
  }
  const allSetAside = usageOf('estimated', most);
  const { isAskedFor, workedOn } = background;
  if (workedOn === undefined || !(isAskedFor || mayBeRead(exchange))) {
    // Nobody knows the id of what its provider may have begun.
    const isCharged = isAskedFor && usage === undefined && isUnanswered(exchange);
    settle({ usage: isCharged ? allSetAside : usage, outcome });
    return;
  }
  const charge = isAskedFor
    ? chargeInBackground(exchange, model, allSetAside)
    : chargeOfKept(exchange, model, allSetAside, background.estimator());
  // If this process is killed, nobody asks the provider any more.
  const inTheEnd = charge('not_learnt').usage;
  const unfollow = checkpoints.follow({ record }, { usage: () => inTheEnd });
  backgroundResponses.follow({
    requestId: record.id,
    headers: exchange.req.headers,
    model,
    workedOn,
    settle: (end) => {
      unfollow();
      settle({ outcome, ...charge(end) });
    },
  });
}

/**
 * Its caller has asked for what is worked on: where nobody knows what that has used, it is all it may use.
 */
function chargeInBackground(
  { record }: Exchange,
  model: RoutedModel,
  allSetAside: Usage,
): (end: FollowedEnd) => FollowedCharge {
  // If its caller left the stream, what had gone out by then is charged although the rest failed.
  const delivered = isStreamed(record) ? record.usage : undefined;
  return (end) => {
    if (typeof end === 'string') return { usage: allSetAside, outcome: 'completed' };
    const counted = countedIn(end, model);
    if (counted === undefined && end.hasFailed) return { usage: delivered, outcome: 'failed' };
    return { usage: counted ?? allSetAside, outcome: 'completed' };
  };
}

/**
 * An answer that has broken off, of a response that its provider keeps. Where the provider has stopped, it
 * costs what was delivered, or can still be read; one that was worked on and is gone may have been read
 * whole.
 */
function chargeOfKept(
  { record }: Exchange,
  model: RoutedModel,
  allSetAside: Usage,
  estimated: (written: unknown) => Usage,
): (end: FollowedEnd) => FollowedCharge {
  const { usage: delivered } = record;
  const atLeast = (usage: Usage) =>
    delivered !== undefined && delivered.outputTokens > usage.outputTokens ? delivered : usage;
  return (end) => {
    if (end === 'deleted') return { usage: allSetAside };
    if (typeof end === 'string') return { usage: delivered };
    const counted = countedIn(end, model);
    if (counted !== undefined) return { usage: counted, outcome: 'completed' };
    return { usage: end.written === undefined ? delivered : atLeast(estimated(end.written)) };
  };
}

/** Calls of tools that the provider runs count only where the model has a price for them. */
function countedIn({ usage }: EndedResponse, { price }: RoutedModel): Usage | undefined {
  if (usage === undefined) return undefined;
  const isCharged = price?.of.names.has('tool_call_usd') === true;
  return usageOf('provider', isCharged ? usage.units : { ...usage.units, toolCalls: 0 });
}

/**
 * Returns true if the caller may know the id of a response of which more may come: a stream that nothing of
 * has gone out says none, and an answer that is complete and counted is the whole, whatever its status says.
 */
function mayBeRead({ record, res }: Exchange): boolean {
  if (record.outcome === 'completed') return record.usage?.source !== 'provider';
  return isStreamed(record) && res.headersSent;
}

/** Returns true if the caller left, or this process stopped, before the provider had answered. */
function isUnanswered({ record: { attempts, outcome } }: Exchange): boolean {
  const last = attempts.at(-1);
  const isCut = outcome === 'client_gone' || outcome === 'cut';
  return isCut && last !== undefined && (last.httpStatus === undefined || last.httpStatus === 200);
}
