import type { CompletionsRequest, completionsRequest } from '@model-gateway/shared';
import { uncheckedCompletion } from '@model-gateway/shared/errors';
import type { DataPlaneContext } from '../context.ts';
import { continueWith } from '../http/continue-with.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { refuseInvalid } from '../steps/admit-request.ts';
import { type ExpectedRequest, type ValidatedRequest, validateRequest } from './validate-request.ts';

type Validated = ValidatedRequest<CompletionsRequest>;

/**
 * Validates a text completion. Guardrails check only chats, so a completion that they would have to check is
 * refused, whatever their `on_failure` is.
 * @throws GatewayError; ClientGone
 */
export function validateCompletionsRequest(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  expected: ExpectedRequest<typeof completionsRequest>,
): Validated | Promise<Validated> {
  return continueWith(validateRequest(context, exchange, expected), (validated) => {
    const models = validated.candidates.map(({ model }) => model);
    const [guardrail] = context.guardrails.of(models, exchange.record.key.accountId) ?? [];
    if (guardrail === undefined) return validated;
    return refuseInvalid(context, exchange, uncheckedCompletion(guardrail.id));
  });
}
