import type { AcquireAllowanceRequestMessage } from '@model-gateway/contracts';
import { aborted } from '../errors/control-plane-error.ts';
import { parseAllowanceRequest } from './allowance-request.ts';
import type { AllowanceStore, Grant } from './allowance-store.ts';
import type { ReturnsWait } from './returns-wait.ts';

/** Time for other data planes to return unused money. A busy data plane replies late. */
const RETURNS_MS = 4_000;
/** Another data plane may get the returned money before it is granted here, so there are several rounds. */
const MAX_ROUNDS = 3;

/**
 * Sets money aside. Before refusing, recalls unused money from other data planes, so that a refusal is true
 * at that moment.
 * @throws ControlPlaneError invalid_argument; aborted (no lease, or other data planes did not reply in time)
 */
export async function acquireAllowance(
  { allowanceStore, returnsWait }: { allowanceStore: AllowanceStore; returnsWait: ReturnsWait },
  request: AcquireAllowanceRequestMessage,
) {
  const wanted = parseAllowanceRequest(request);
  for (let round = 1; ; round++) {
    const grant = await allowanceStore.acquire(request.instanceId, wanted);
    const { recalls } = grant;
    if (grant.lapsed) throw aborted('this data plane has no lease at the moment');
    if (recalls.length === 0) return grantMessage(grant);
    if (round === MAX_ROUNDS || !(await returnsWait.forReplies(recalls, RETURNS_MS))) {
      throw aborted('other data planes hold money of this payer');
    }
  }
}

function grantMessage({
  resetsAt,
  granted,
  available,
  held,
  recalls: _recalls,
  lapsed: _lapsed,
  ...grant
}: Grant) {
  return {
    ...grant,
    granted: String(granted),
    available: String(available),
    held: String(held),
    ...(resetsAt === null ? {} : { resetsAt: Math.floor(resetsAt.getTime() / 1_000) }),
  };
}
