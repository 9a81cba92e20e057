import type { WrittenRequest } from '../../contract/chat.ts';
import type { Asked } from '../../contract/provider-protocol.ts';

/** What a provider is asked with a request that was, or is being, written in its API. */
export function translatedRequest(
  asked: Pick<Asked, 'path' | 'accept'>,
  written: WrittenRequest | Promise<WrittenRequest>,
): Asked | Promise<Asked> {
  return written instanceof Promise
    ? written.then((request) => ({ ...asked, ...request }))
    : { ...asked, ...written };
}
