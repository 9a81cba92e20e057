import type { TranslatedBody } from '../../interfaces/chat.ts';
import type { UpstreamRequest } from '../../interfaces/provider-protocol.ts';

export function buildTranslatedRequest(
  head: Pick<UpstreamRequest, 'path' | 'accept' | 'headers'>,
  translated: TranslatedBody | Promise<TranslatedBody>,
): UpstreamRequest | Promise<UpstreamRequest> {
  return translated instanceof Promise
    ? translated.then((body) => ({ ...head, ...body }))
    : { ...head, ...translated };
}
