import { mostCostOf } from '@model-gateway/shared';
import { insufficientBalance, tooManyToSettle } from '@model-gateway/shared/errors';
import type { Allowances } from '../billing/allowances.ts';
import { InsufficientCredit } from '../billing/credit-refusals.ts';
import { fittingMaxTokens } from '../billing/fitting-max-tokens.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../request-record.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

export interface ReserveContext {
  allowances: Pick<Allowances, 'reserve'>;
  settlement: Pick<SettlementStream, 'hasRoom' | 'isFull'>;
}

const NONE: readonly RoutedModel[] = [];

/**
 * Sets aside the most that a request for a paid model can cost. Sets `record.hold`.
 * @throws GatewayError 402 when the pools cannot cover it; 503 while that cannot be found out, or too many
 *   ended requests wait for the control plane
 */
export async function reserveCredit(
  { allowances, settlement }: ReserveContext,
  { record, stop }: Exchange,
  model: RoutedModel,
  {
    most,
    choices,
    defaultOutput,
    otherModels = NONE,
    outputField,
  }: Pick<CapabilityCall, 'most' | 'choices' | 'defaultOutput' | 'otherModels' | 'outputField'>,
): Promise<void> {
  const { key } = record;
  if (key === undefined) throw new Error('reserved before authenticated');
  if (model.price === undefined) return;
  // Asked without a promise first: one for each request would cost more than the question.
  if (settlement.isFull && !(await settlement.hasRoom())) throw tooManyToSettle();
  const price = model.price.of;
  let neededNanoUsd = mostCostOf(most, price);
  // The searches of the request are charged to its own model, whichever has made them.
  for (const other of otherModels) {
    if (other.price === undefined) continue;
    neededNanoUsd += mostCostOf({ ...most, webSearchRequests: 0 }, other.price.of);
  }
  if (neededNanoUsd === 0n) return;
  try {
    record.hold = await allowances.reserve(key, neededNanoUsd, stop.signal);
  } catch (failure) {
    if (!(failure instanceof InsufficientCredit)) throw failure;
    const { availableNanoUsd, heldNanoUsd, resetsAt } = failure;
    // What fits is reckoned for one model only.
    const isAlone = otherModels.length === 0;
    const fitsMaxTokens =
      defaultOutput && isAlone ? fittingMaxTokens(most, price, availableNanoUsd, choices) : undefined;
    throw insufficientBalance({
      neededNanoUsd,
      availableNanoUsd,
      heldNanoUsd,
      resetsAt,
      fitsMaxTokens,
      outputField,
    });
  }
}
