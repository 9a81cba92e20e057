import type { DeletedResponses } from '../background/deleted-responses.ts';
import { type PollContext, pollResponse } from '../background/poll-response.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { SealedResponse } from '../chat/sealed-ids.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';

interface DeletionContext extends PollContext {
  deletedResponses: Pick<DeletedResponses, 'report'>;
  models: { readonly table: ModelTable | undefined };
}

/**
 * Records the usage of a stored response before its deletion, for the data plane that streams or follows it:
 * afterwards the provider does not know it any more.
 * @param model with the one provider that stores it
 * @throws GatewayError 503 if it cannot be recorded
 */
export async function reportDeletion(
  context: DeletionContext,
  { req, record: { key }, stop }: AuthenticatedExchange,
  stored: SealedResponse,
  { upstreams: [upstream] }: RoutedModel,
): Promise<void> {
  const listed = context.models.table?.models.get(stored.modelId);
  const isFree = listed !== undefined && listed.price === undefined;
  if (isFree || upstream === undefined) return;
  const { provider } = upstream;
  const response = { ...stored, headers: req.headers };
  const state = await pollResponse(context, { owner: key, provider, response }, stop.signal);
  await context.deletedResponses.report(stored, typeof state === 'object' ? state : undefined);
}
