import type { BackgroundResponses } from '../background/background-responses.ts';
import { estimateAll } from '../billing/cost-of-usage.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { Charge } from '../request-record.ts';
import {
  chargeFollowed,
  type FollowedResponse,
  followedResponseOf,
  providerOf,
} from '../settlement/followed-response.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

export interface FollowContext {
  backgroundResponses: Pick<BackgroundResponses, 'follow'>;
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
}

/**
 * Settles a request: at once, or after its provider has finished background work. Its money stays reserved
 * until then.
 * @param settle called once; with the response if another data plane is to follow it
 */
export function followBackground(
  { backgroundResponses, checkpoints }: FollowContext,
  exchange: AuthenticatedExchange,
  model: RoutedModel,
  request: Pick<CapabilityCall, 'background' | 'maxUnits' | 'serviceTier'>,
  settle: (charge: Charge, handedOver?: FollowedResponse) => void,
): void {
  const { record } = exchange;
  const { outcome, usage } = record;
  const response = followedResponseOf(exchange, model, request, usage);
  const provider = response && providerOf(model, response);
  if (response === undefined || provider === undefined) {
    // No id to follow, although the provider may have started.
    const isCharged =
      request.background?.isRequested && usage?.source !== 'provider' && isUnanswered(exchange);
    settle({ usage: isCharged ? estimateAll(request) : usage, outcome });
    return;
  }
  // If this process is killed, another one follows the response.
  const unfollowCheckpoints = checkpoints.follow({ record }, { usage: () => undefined }, () => response);
  record.isFollowed = true;
  const unfollow = () => {
    // From now on the sweep settles it if this fails.
    record.isFollowed = false;
    unfollowCheckpoints();
  };
  backgroundResponses.follow({
    requestId: record.id,
    owner: record.key,
    provider,
    response,
    settle: (end) => {
      unfollow();
      settle(chargeFollowed(response, end));
    },
    handOver: () => {
      unfollow();
      settle(chargeFollowed(response, 'not_learnt'), response);
    },
  });
}

/** Returns true if the request ended before the provider responded. */
function isUnanswered({ record: { attempts, outcome } }: AuthenticatedExchange): boolean {
  const last = attempts.at(-1);
  const isCut = outcome === 'client_gone' || outcome === 'cut';
  return isCut && last !== undefined && (last.httpStatus === undefined || last.httpStatus === 200);
}
