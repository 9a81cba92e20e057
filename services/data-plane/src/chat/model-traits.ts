import type { RoutedModel } from '../catalog/model-table.ts';
import { tokenizerOf } from '../tokens/tokenizer-of.ts';

interface ModelTraits {
  /** True if the tokenizers of all upstreams are known. */
  isKnown: boolean;
  /** True if no provider writes to its cache unasked. */
  cachesMarkedOnly: boolean;
}

/** Caches traits by the upstreams of a model, which live as long as their catalog. */
const TRAITS = new WeakMap<RoutedModel['upstreams'], ModelTraits>();

/** Returns what the upstreams of a model decide about a chat. */
export function modelTraits({ upstreams }: RoutedModel): ModelTraits {
  const known = TRAITS.get(upstreams);
  if (known !== undefined) return known;
  const traits = {
    isKnown: upstreams.every((upstream) => tokenizerOf(upstream.model) !== undefined),
    cachesMarkedOnly: upstreams.every(
      ({ provider }) => provider.protocol.endpoints.chat?.cachesMarkedOnly === true,
    ),
  };
  TRAITS.set(upstreams, traits);
  return traits;
}
