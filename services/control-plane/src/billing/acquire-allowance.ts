import { setTimeout as wait } from 'node:timers/promises';
import type { AcquireAllowanceRequestMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import { aborted } from '../errors/control-plane-error.ts';
import { parseAllowanceRequest } from './allowance-request.ts';
import type { AllowanceStore, Grant } from './allowance-store.ts';
import type { ReturnsWait } from './returns-wait.ts';

/** Time for other data planes to return unused money. A busy data plane replies late. */
const RETURNS_MS = 4_000;
/** Another data plane may get the returned money before it is granted here, so there are several rounds. */
const MAX_ROUNDS = 3;
/** Interval and number of checks whether the running request of a payer with uncollected money has ended. */
const POLL_MS = 100;
const MAX_POLLS = 10;

/**
 * Sets money aside. Before refusing, recalls unused money from other data planes, so that a refusal is true
 * at that moment. For a payer with uncollected money, waits up to a second until its running request ends.
 * Logs each exceeded window of a budget once: when it refuses a need or, if it only warns, lets one pass.
 * @throws ControlPlaneError invalid_argument; aborted (no lease, or other data planes did not reply in time)
 */
export async function acquireAllowance(
  {
    allowanceStore,
    log,
    returnsWait,
  }: { allowanceStore: AllowanceStore; log: Pick<Logger, 'warn'>; returnsWait: ReturnsWait },
  request: AcquireAllowanceRequestMessage,
) {
  const wanted = parseAllowanceRequest(request);
  let polls = 0;
  for (let round = 1; ; ) {
    const grant = await allowanceStore.acquire(request.instanceId, wanted);
    const { recalls } = grant;
    for (const { budgetId, windowId } of grant.exceeded.map(budgetOfWindowId)) {
      log.warn({ budget_id: budgetId, window: windowId }, 'a budget is exceeded');
    }
    if (grant.lapsed) throw aborted('this data plane has no lease at the moment');
    if (recalls.length === 0) {
      const isBusy = grant.uncollected > 0n && grant.available === 0n && grant.held > 0n;
      if (!isBusy || grant.covered > 0 || wanted.needs.length === 0 || polls++ === MAX_POLLS) {
        return grantMessage(grant);
      }
      await wait(POLL_MS);
      continue;
    }
    if (round++ === MAX_ROUNDS || !(await returnsWait.forReplies(recalls, RETURNS_MS))) {
      throw aborted('other data planes hold money of this payer');
    }
  }
}

function grantMessage({
  resetsAt,
  granted,
  available,
  held,
  uncollected,
  short,
  recalls: _recalls,
  lapsed: _lapsed,
  exceeded: _exceeded,
  ...grant
}: Grant) {
  return {
    ...grant,
    granted: String(granted),
    available: String(available),
    held: String(held),
    uncollected: String(uncollected),
    ...(resetsAt === null ? {} : { resetsAt: Math.floor(resetsAt.getTime() / 1_000) }),
    ...(short === null ? {} : { shortBudget: shortMessage(short) }),
  };
}

function shortMessage({ id, size, room, held }: NonNullable<Grant['short']>) {
  // The room is negative after a budget was lowered or a raise has ended.
  return { windowId: id, limit: size, remaining: room.startsWith('-') ? '0' : room, held };
}
