import type { PoolOwnerMessage } from '@model-gateway/contracts';
import { newId, parseUsd, shortUsd } from '@model-gateway/shared';
import type { UserActor } from '../actors/actor.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';
import {
  type ControlPlaneError,
  failedPrecondition,
  invalidArgument,
} from '../errors/control-plane-error.ts';
import type { StoredPool } from '../pools/pool-store.ts';
import { retryAfterReturns } from '../pools/retry-after-returns.ts';
import { type MoveEndsContext, requireMovablePool, requireMoveTarget } from './move-ends.ts';
import type { MoveMoneyStore, MoveOutcome } from './move-money-store.ts';

export interface MoveMoneyContext extends MoveEndsContext {
  moveMoneyStore: Pick<MoveMoneyStore, 'move'>;
  returnsWait: Pick<ReturnsWait, 'forReplies'>;
}

export interface MoveMoneyRequest {
  fromPoolId: string;
  to: PoolOwnerMessage | null;
  /** US dollars as a decimal string. */
  usd: string;
  /** Empty: the name of the source pool. */
  name: string;
}

const MAX_NAME_LENGTH = 200;
/** Every paid request reads all pools of its payer. */
const MAX_POOLS = 50;

/**
 * Moves unused money to a pool of another owner: the one with the name, or a new one. Recalls unused money
 * from data planes before refusing.
 * @throws ControlPlaneError not_found, permission_denied, invalid_argument, failed_precondition (too little
 *   left, too many pools, or an unlimited pool)
 */
export async function moveMoney(
  context: MoveMoneyContext,
  actor: UserActor,
  request: MoveMoneyRequest,
): Promise<{ from: StoredPool; to: StoredPool }> {
  const amount = parseUsd(request.usd) ?? 0n;
  if (amount === 0n) {
    throw invalidArgument('an amount is more than 0 US dollars, such as 5.00, with at most nine decimals');
  }
  const source = await requireMovablePool(context, actor.accountId, request.fromPoolId);
  if (source.unlimited) throw failedPrecondition('the pool is unlimited: there is no amount to move');
  const owner = await requireMoveTarget(context, actor.accountId, request.to);
  if (owner.kind === source.owner.kind && owner.id === source.owner.id) {
    throw invalidArgument('the pool belongs there already');
  }
  const name = request.name.trim() || source.name;
  if (name.length > MAX_NAME_LENGTH) {
    throw invalidArgument(`a name has at most ${MAX_NAME_LENGTH} characters`);
  }
  const target = { id: newId('pool'), name, owner };
  const targetId = await moveUnused(context, actor, source.id, amount, target, MAX_POOLS);
  const [from, to] = await Promise.all([source.id, targetId].map((id) => context.poolStore.find(id)));
  if (!from || !to) throw new Error('a pool that money was moved between is missing');
  return { from, to };
}

async function moveUnused(
  { moveMoneyStore, returnsWait }: MoveMoneyContext,
  ...move: Parameters<MoveMoneyStore['move']>
): Promise<string> {
  const outcome = await retryAfterReturns(returnsWait, () => moveMoneyStore.move(...move));
  if (outcome.target !== null && outcome.moved) return outcome.target;
  if (!outcome.tooMany) throw tooLittle(outcome);
  throw failedPrecondition(`there are ${MAX_POOLS} pools already: move it into one of them, by its name`);
}

function tooLittle({ remaining, held }: MoveOutcome): ControlPlaneError {
  const left = `${shortUsd(remaining)} US dollars are left to move`;
  const inUse =
    `; ${shortUsd(held)} more are set aside for requests that are running, ` +
    'so try again when they have ended';
  return failedPrecondition(held === 0n ? left : left + inUse);
}
