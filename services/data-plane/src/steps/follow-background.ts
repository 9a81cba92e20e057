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

/** Without `outcome`, that of the response stays. */
type FollowedCharge = Pick<Charge, 'usage'> & Partial<Charge>;

/**
 * Settles a request: at once, or after its provider has finished background work. Its money stays reserved
 * until then.
 * @param settle called once
 */
export function followBackground(
  { backgroundResponses, checkpoints }: FollowContext,
  exchange: Exchange,
  model: RoutedModel,
  { background, maxUnits }: Pick<CapabilityCall, 'background' | 'maxUnits'>,
  settle: (charge: Charge) => void,
): void {
  const { record } = exchange;
  const { outcome, usage } = record;
  if (background === undefined) {
    settle({ usage, outcome });
    return;
  }
  const maximum = usageOf('estimated', maxUnits);
  const { isRequested, unfinished } = background;
  if (unfinished === undefined || !(isRequested || mayBeRead(exchange))) {
    // No id to follow, although the provider may have started.
    const isCharged = isRequested && usage?.source !== 'provider' && isUnanswered(exchange);
    settle({ usage: isCharged ? maximum : usage, outcome });
    return;
  }
  const charge = isRequested
    ? chargeInBackground(exchange, model, maximum)
    : chargeStored(exchange, model, maximum, background.estimator());
  // A checkpoint in case this process is killed.
  const worstCase = charge('not_learnt').usage;
  const unfollow = checkpoints.follow({ record }, { usage: () => worstCase });
  backgroundResponses.follow({
    requestId: record.id,
    headers: exchange.req.headers,
    model,
    unfinished,
    settle: (end) => {
      unfollow();
      settle({ outcome, ...charge(end) });
    },
  });
}

/** Charges a background response: its usage if known, else the maximum. */
function chargeInBackground(
  { record }: Exchange,
  model: RoutedModel,
  maximum: Usage,
): (end: FollowedEnd) => FollowedCharge {
  // Charge what was streamed before the caller left, even if the rest failed.
  const delivered = isStreamed(record) ? record.usage : undefined;
  return (end) => {
    if (typeof end === 'string') return { usage: maximum, outcome: 'completed' };
    const counted = providerUsage(end, model);
    if (counted === undefined && end.hasFailed) return { usage: delivered, outcome: 'failed' };
    return { usage: counted ?? maximum, outcome: 'completed' };
  };
}

/**
 * Charges a stored response whose answer broke off: what was delivered or can still be read. A deleted one
 * may have been read whole.
 */
function chargeStored(
  { record }: Exchange,
  model: RoutedModel,
  maximum: Usage,
  estimated: (written: unknown) => Usage,
): (end: FollowedEnd) => FollowedCharge {
  const { usage: delivered } = record;
  const atLeast = (usage: Usage) =>
    delivered !== undefined && delivered.outputTokens > usage.outputTokens ? delivered : usage;
  return (end) => {
    if (end === 'deleted') return { usage: maximum };
    if (typeof end === 'string') return { usage: delivered };
    const counted = providerUsage(end, model);
    if (counted !== undefined) return { usage: counted, outcome: 'completed' };
    return { usage: end.written === undefined ? delivered : atLeast(estimated(end.written)) };
  };
}

/** Server tool calls count only if the model has a price for them. */
function providerUsage({ usage }: EndedResponse, { price }: RoutedModel): Usage | undefined {
  if (usage === undefined) return undefined;
  const isCharged = price?.of.names.has('tool_call_usd') === true;
  return usageOf('provider', isCharged ? usage.units : { ...usage.units, toolCalls: 0 });
}

/**
 * Returns true if the caller may have the id of an unfinished response. A stream without output has not sent
 * its id, and a complete, counted response is the whole.
 */
function mayBeRead({ record, res }: Exchange): boolean {
  if (record.outcome === 'completed') return record.usage?.source !== 'provider';
  return isStreamed(record) && res.headersSent;
}

/** Returns true if the request ended before the provider responded. */
function isUnanswered({ record: { attempts, outcome } }: Exchange): boolean {
  const last = attempts.at(-1);
  const isCut = outcome === 'client_gone' || outcome === 'cut';
  return isCut && last !== undefined && (last.httpStatus === undefined || last.httpStatus === 200);
}
