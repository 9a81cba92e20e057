import type { GatewayError } from '@model-gateway/shared';

/** How Anthropic, OpenAI and Google say that they have not signed or encrypted what comes back to them. */
const NOT_OURS =
  /invalid `(?:signature|data)` in `(?:redacted_)?thinking` block|invalid_encrypted_content|encrypted content .{1,200}could not be (?:verified|decrypted)|thought[ _]?signature/is;

/**
 * Whether a provider has refused a conversation because another model has thought in it: only that one can
 * read its own thoughts, and go on.
 */
export function hasForeignThoughts({ code, message, providersBody = '' }: GatewayError): boolean {
  return code === 'upstream_rejected' && NOT_OURS.test(`${message} ${providersBody}`);
}
