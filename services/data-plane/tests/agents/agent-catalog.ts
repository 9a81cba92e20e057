import type { CatalogDocumentInput } from '@model-gateway/shared';
import type { MatrixKind } from '../matrix/kinds.ts';
import { catalogPricing, type HandPrices } from '../recorded/bill-by-hand.ts';

/** An agent knows models by the last part of their names, and treats each family in its own way. */
export function agentModelId(kind: MatrixKind, name: string): string {
  return `${providerId(kind)}/${name}`;
}

/** A provider of each kind, and its model under each of these names. */
export function agentCatalog(
  baseUrl: string,
  kinds: readonly MatrixKind[],
  names: readonly string[],
  prices: HandPrices,
): CatalogDocumentInput {
  return {
    providers: kinds.map((kind) => ({
      id: providerId(kind),
      name: kind.title,
      kind: kind.kind,
      ...kind.provider(baseUrl),
    })),
    models: kinds.flatMap((kind) =>
      names.map((name) => ({
        id: agentModelId(kind, name),
        name,
        capability: 'chat',
        tier: 'paid',
        context_length: 272_000,
        max_output_tokens: 64_000,
        upstreams: [
          {
            provider: providerId(kind),
            model: kind.upstreamModel,
            ...(kind.prefer === undefined ? {} : { prefer: kind.prefer }),
          },
        ],
        pricing: catalogPricing(prices),
      })),
    ),
  };
}

function providerId({ title }: MatrixKind): string {
  return `sim-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
