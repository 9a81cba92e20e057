import { ProviderError, refuse } from '../errors/provider-error.ts';
import { type ConversationRules, checkConversation } from './check-conversation.ts';
import { checkOptions } from './check-options.ts';
import { EXTRA_INPUT, explainAnthropicIssue } from './explain-anthropic-issue.ts';
import { MAX_OUTPUT_TOKENS, type MessagesRequest, messagesRequest } from './messages-request.ts';

const COUNT_MEMBERS = 'cache_control messages model output_config system thinking tool_choice tools'.split(
  ' ',
);
/** The members that need no beta feature in any version. */
const MESSAGE_MEMBERS = [
  ...COUNT_MEMBERS,
  ...'inference_geo max_tokens metadata service_tier stop_sequences stream temperature top_k top_p'.split(
    ' ',
  ),
];
/** From this version on, these members are no longer beta features. */
const LATER_VERSION = '2026-10-21';
const LATER_COUNT_MEMBERS = ['speed', 'user_profile_id', 'workspace_id'];
const LATER_MEMBERS = [...LATER_COUNT_MEMBERS, 'container', 'diagnostics'];
/** Further members, and how the names of the beta features that add them begin. */
const BETA_MEMBERS: Record<string, readonly string[]> = {
  billing_policy: ['user-profiles-billing-'],
  container: ['code-execution-', 'skills-'],
  context_management: ['context-management-2025-06-27', 'compact-'],
  diagnostics: ['cache-diagnosis-'],
  fallbacks: ['server-side-fallback-'],
  mcp_servers: ['mcp-client-'],
  output_format: ['structured-outputs-'],
  speed: ['fast-mode-'],
  thread: ['message-threads-'],
  user_profile_id: ['user-profiles-'],
};

export interface ParseOptions extends ConversationRules {
  /** The value of `anthropic-version`. */
  version: string;
}

/** Checks a request as Anthropic does. @throws ProviderError 400 that names the first mistake */
export function parseMessages(json: unknown, options: ParseOptions): MessagesRequest {
  const body = requireObject(json);
  checkMembers(body, options, false);
  return checked(body, options);
}

/** Checks a request to count tokens. @throws ProviderError 400 that names the first mistake */
export function parseCount(json: unknown, options: ParseOptions): MessagesRequest {
  const body = requireObject(json);
  checkMembers(body, options, true);
  // Adds the one required member that only answers need.
  return checked({ ...body, max_tokens: MAX_OUTPUT_TOKENS }, options);
}

function requireObject(json: unknown): object {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  return refuse('Input should be a valid dictionary');
}

function checked(body: object, options: ParseOptions): MessagesRequest {
  const result = messagesRequest.safeParse(body, { reportInput: true });
  if (!result.success) {
    const [issue] = result.error.issues;
    const { message, path } =
      issue === undefined ? { message: 'Invalid request', path: [] } : explainAnthropicIssue(issue);
    return refuse(path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`);
  }
  checkOptions(result.data);
  checkConversation(result.data, options);
  return result.data;
}

/**
 * Refuses unknown members. A member that no table names may belong to a future beta feature: `new_thing` is
 * accepted if the request asks for `new-thing-…`.
 */
function checkMembers(body: object, { betas, version }: ParseOptions, isCount: boolean): void {
  const later = isCount ? LATER_COUNT_MEMBERS : LATER_MEMBERS;
  // Versions are dates.
  const known = [...(isCount ? COUNT_MEMBERS : MESSAGE_MEMBERS), ...(version >= LATER_VERSION ? later : [])];
  for (const name of Object.keys(body)) {
    if (known.includes(name)) continue;
    const features = Object.hasOwn(BETA_MEMBERS, name)
      ? BETA_MEMBERS[name]
      : [`${name.replaceAll('_', '-')}-`];
    const isEnabled = betas.some((beta) => features?.some((feature) => beta.startsWith(feature)));
    if (!isEnabled || MESSAGE_MEMBERS.includes(name)) refuse(`${name}: ${EXTRA_INPUT}`);
  }
  if ('thread' in body && body.thread !== null) throw threadUnsupported();
}

/** Nothing is stored between requests. These details make client libraries send the whole conversation. */
function threadUnsupported(): ProviderError {
  return new ProviderError(400, 'thread: message threads are not simulated', {
    details: { error_code: 'thread_unsupported_request', unsupported: ['model'] },
  });
}
