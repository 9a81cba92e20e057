import { endpointOf, readBetas } from '@model-gateway/dialects';
import { type messagesRequest, unpricedBetas } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { refuseInvalid } from '../steps/admit-request.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import {
  type ExpectedRequest,
  usableCandidates,
  type ValidatedRequest,
  validateRequest,
} from './validate-request.ts';

/**
 * `validateRequest` for Messages, whose betas may change what a provider of that API charges.
 * @throws GatewayError; ClientGone
 */
export async function validateMessagesRequest(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  expected: ExpectedRequest<typeof messagesRequest>,
): Promise<ValidatedRequest<z.infer<typeof messagesRequest>>> {
  const { body, candidates } = await validateRequest(context, exchange, expected);
  const betas = unpricedBetas(readBetas(exchange.req));
  if (betas.length === 0) return { body, candidates };
  try {
    const usable = usableCandidates(candidates, (model) => {
      // Other providers never see them.
      if (passesMessages(model)) refuseUnpriced(model, betas);
      return model;
    });
    return { body, candidates: usable };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

function passesMessages({ upstreams }: RoutedModel): boolean {
  return upstreams.some(({ provider }) => endpointOf(provider.protocol, 'chat').apis.includes('messages'));
}
