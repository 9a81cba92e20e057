import type { ProviderTraits } from '@model-gateway/shared';
import { containsBytes } from '../../json/contains-bytes.ts';
import { LEFT_OUT_OF_MESSAGES, LEFT_OUT_OF_REQUESTS } from './strict-members.ts';

/**
 * Returns a function that finds members which a server refuses in the bytes of a request. It may also find
 * them in a text of the caller: then the request is only written anew.
 */
export function membersToChange(traits: ProviderTraits): (chunks: readonly Buffer[]) => boolean {
  const names = [
    ...(traits.output_limit === 'max_tokens' ? ['"max_completion_tokens"'] : []),
    ...(traits.reasoning_back === 'reasoning_details' ? [] : ['"reasoning"', '"reasoning_']),
    ...(traits.developer_role ? [] : ['"developer"']),
    ...(traits.strict ? [...LEFT_OUT_OF_MESSAGES, ...LEFT_OUT_OF_REQUESTS].map((name) => `"${name}"`) : []),
    ...(traits.store ? [] : ['"store"']),
    ...(traits.stream_usage ? [] : ['"stream_options"']),
  ].map((name) => Buffer.from(name));
  return (chunks) => names.some((name) => containsBytes(chunks, name));
}
