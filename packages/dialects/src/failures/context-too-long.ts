import type { GatewayError } from '@model-gateway/shared';

/** How providers say that a conversation is longer than their model can read. */
const TOO_LONG =
  /context_length_exceeded|maximum (?:context|prompt) length|context (?:window|length|limit|size)|prompt is too long|input is too long|too many tokens|exceeds the maximum number of tokens/i;

/** Whether a provider has refused a request because it is longer than its model can read. */
export function isContextTooLong({ code, message, providersBody = '' }: GatewayError): boolean {
  return TOO_LONG.test(`${code === 'upstream_rejected' ? message : ''}${providersBody}`);
}
