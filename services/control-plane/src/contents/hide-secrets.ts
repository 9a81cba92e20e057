const REMOVED = '[removed]';

/** Members that pass credentials of MCP servers to a provider, up to the end of a cut text. */
const SECRET_MEMBER = /("(?:authorization|authorization_token|api_key)"\s*:\s*")(?:[^"\\]|\\.)*/gi;
/** Braces within a string do not end the object. */
const HEADERS_MEMBER = /("headers"\s*:\s*\{)(?:[^"{}]|"(?:[^"\\]|\\.)*"?)*/gi;
/** Keys of this gateway: of models, of the management API, of identity providers. */
const GATEWAY_KEY = /\bgw_[a-z]{2,10}_[\w-]{20,}/g;

/** Removes credentials from a body: those of MCP servers, and keys of this gateway. */
export function hideSecrets(text: string): string {
  return text
    .replace(SECRET_MEMBER, `$1${REMOVED}`)
    .replace(HEADERS_MEMBER, `$1"${REMOVED}": ""`)
    .replace(GATEWAY_KEY, REMOVED);
}
