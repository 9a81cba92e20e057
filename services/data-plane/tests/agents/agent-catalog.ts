import type { CatalogDocumentInput } from '@model-gateway/shared';
import { CLIENT_KINDS, type MatrixKind } from '../matrix/kinds.ts';
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

/** The other kinds follow. Neighbours differ in API, or refuse what the other one wrote. */
const FIRST = [
  'Anthropic',
  'OpenAI Responses',
  'Gemini',
  'Mistral',
  'Groq',
  'Bedrock Claude',
  'Bedrock Converse',
  'OpenAI',
];
const CHANGING = [...FIRST.map(kindTitled), ...CLIENT_KINDS.filter(({ title }) => !FIRST.includes(title))];

/** The kinds of one conversation, turn by turn. The first kind comes back at the end. */
export const CHANGES_OF_MODEL: readonly { title: string; kinds: readonly MatrixKind[] }[] = [
  CHANGING,
  CHANGING.toReversed(),
].map((kinds) => ({
  title: `from ${kinds[0]?.title} to ${kinds.at(-1)?.title}`,
  kinds: [...kinds, ...kinds.slice(0, 1)],
}));

function kindTitled(wanted: string): MatrixKind {
  const kind = CLIENT_KINDS.find(({ title }) => title === wanted);
  if (kind === undefined) throw new Error(`no kind is titled ${wanted}`);
  return kind;
}

function providerId({ title }: MatrixKind): string {
  return `sim-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
