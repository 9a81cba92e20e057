import type { WrittenRequest } from '../../interfaces/chat.ts';
import type { Asked } from '../../interfaces/provider-protocol.ts';

export function buildTranslatedRequest(
  asked: Pick<Asked, 'path' | 'accept'>,
  written: WrittenRequest | Promise<WrittenRequest>,
): Asked | Promise<Asked> {
  return written instanceof Promise
    ? written.then((request) => ({ ...asked, ...request }))
    : { ...asked, ...written };
}
