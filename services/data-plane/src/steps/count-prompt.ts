import { estimatedPromptTokens, type JsonBody } from '@model-gateway/dialects';
import type { CountTokensRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { TokenCounts } from '../tokens/token-counts.ts';
import { tokenizerOf } from '../tokens/tokenizer-of.ts';

export interface CountContext {
  tokenCounts: Pick<TokenCounts, 'count'>;
}

/**
 * Counts the input tokens of a prompt if no provider does: with the model's tokenizer, else an estimate.
 * Media count as the catalog says.
 * @throws ClientGone
 */
export async function countPrompt(
  { tokenCounts }: CountContext,
  { record: { key }, stop }: AuthenticatedExchange,
  { mediaPartTokens, upstreams }: RoutedModel,
  { chunks, inputBytes, value }: JsonBody<Pick<CountTokensRequest, 'mediaParts'>>,
): Promise<number> {
  const mediaTokens = value.mediaParts * mediaPartTokens;
  const [tokenizer] = upstreams
    .toSorted((one, other) => one.priority - other.priority)
    .flatMap(({ model }) => tokenizerOf(model) ?? []);
  if (tokenizer === undefined) return estimatedPromptTokens(chunks, mediaTokens, inputBytes);
  return mediaTokens + (await tokenCounts.count({ owner: key, tokenizer, chunks, signal: stop.signal }));
}
