import type { Verdict } from '@model-gateway/shared';
import { VERDICTS } from './verdicts.ts';

/** How Anthropic, OpenAI and Google reject a signature or encrypted reasoning that is not their own. */
const FOREIGN_REASONING =
  /invalid `(?:signature|data)` in `(?:redacted_)?thinking` block|invalid_encrypted_content|encrypted content .{1,200}could not be (?:verified|decrypted)|thought[ _]?signature/is;

/** How providers reject a conversation that is longer than their model can read. */
const CONTEXT_TOO_LONG =
  /context_length_exceeded|exceeded model token limit|maximum (?:context|prompt) length|context (?:window|length|limit|size)|prompt is too long|input is too long|too many tokens|reduce the length of the messages|exceeds the maximum number of tokens/i;

/** How providers say with a 400 that they do not have the model, or not any more. */
const NO_SUCH_MODEL =
  /model_not_found|model_decommissioned|model identifier is invalid|not a valid model|model .{1,200}(?:does not exist|has been decommissioned|is not supported in this region)/is;

const TOO_LARGE = 413;

/** Matches objects that a request names by id: their absence is the caller's fault. */
const OBJECT_OF_REQUEST =
  /\b(?:files?|containers?|conversations?|responses?|items?|vector[ _-]?stores?|assistants?|threads?|prompts?|skills?|cached[ _]?contents?|documents?|images?|voices?)\b/i;

/** Returns true if a 404 or 410 says that the provider does not serve the model, or names nothing. */
export function isModelMissing(status: number, text: string): boolean {
  if (status !== 404 && status !== 410) return false;
  return /\b(?:models?|deployments?)\b/i.test(text) || !OBJECT_OF_REQUEST.test(text);
}

/** Returns the verdict on a rejected request. @param text of the error, at most a few kilobytes */
export function verdictOnRejection(status: number, text: string): Verdict {
  if (FOREIGN_REASONING.test(text)) return VERDICTS.foreign_reasoning;
  if (CONTEXT_TOO_LONG.test(text)) return VERDICTS.context_too_long;
  if (NO_SUCH_MODEL.test(text)) return VERDICTS.no_such_model;
  return status === TOO_LARGE ? VERDICTS.too_large : VERDICTS.rejected;
}

/** Statuses about the credential. Not 402: providers send it for large requests, too. */
const REFUSALS = new Set([401, 403]);

/**
 * Matches a 403 about the content: moderation, a content filter, a firewall that mistakes a prompt for an
 * attack. Any other 403 is about the credential or its permissions.
 */
const ABOUT_CONTENT =
  /moderat|flagged|content[ _-]?(?:filter|policy|management)|safety|harmful|violat|guardrail|(?:request|prompt|input|you)(?: was| has been| have been| is)? blocked/i;

/** Returns true if a response refuses the gateway's credential. @param bodyText the start of the body */
export function isAccessRefused(status: number, bodyText: string): boolean {
  return REFUSALS.has(status) && !(status === 403 && ABOUT_CONTENT.test(bodyText));
}
