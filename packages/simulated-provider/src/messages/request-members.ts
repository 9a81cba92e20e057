import { ProviderError } from '../errors/provider-error.ts';
import { EXTRA_INPUT } from './explain-issue.ts';

/** The members of a request that no beta feature is needed for in any version. */
const MESSAGE_MEMBERS = [
  'cache_control',
  'inference_geo',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
];
const COUNT_MEMBERS = [
  'cache_control',
  'messages',
  'model',
  'output_config',
  'system',
  'thinking',
  'tool_choice',
  'tools',
];
/** Members that are no longer beta features in this version and later ones. */
const LATER_VERSION = '2026-10-21';
const LATER_MEMBERS = ['container', 'diagnostics', 'speed', 'user_profile_id', 'workspace_id'];
const LATER_COUNT_MEMBERS = ['speed', 'user_profile_id', 'workspace_id'];
/** Further members, and how the names of the beta features begin that bring them. */
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
/** The knobs of this simulation. */
const SIMULATE = 'simulate';

export interface RequestHead {
  /** The value of `anthropic-version`. */
  version: string;
  betas: readonly string[];
}

/**
 * Refuses members that the API does not know. A member that no table names is taken for one of a beta feature
 * to come, and accepted when the request asks for a feature of that name: `new_thing` with `new-thing-…`.
 * @throws ProviderError 400
 */
export function checkMembers(body: object, { betas, version }: RequestHead, isCount: boolean): void {
  const later = isCount ? LATER_COUNT_MEMBERS : LATER_MEMBERS;
  // Versions are dates.
  const known = [...(isCount ? COUNT_MEMBERS : MESSAGE_MEMBERS), ...(version >= LATER_VERSION ? later : [])];
  for (const name of Object.keys(body)) {
    if (name === SIMULATE || known.includes(name)) continue;
    const features = Object.hasOwn(BETA_MEMBERS, name)
      ? BETA_MEMBERS[name]
      : [`${name.replaceAll('_', '-')}-`];
    const isAsked = betas.some((beta) => features?.some((feature) => beta.startsWith(feature)));
    const isKnown = MESSAGE_MEMBERS.includes(name);
    if (isKnown || !isAsked) throw new ProviderError(400, `${name}: ${EXTRA_INPUT}`);
  }
  if ('thread' in body && body.thread !== null) throw threadUnsupported();
}

/**
 * Nothing is kept between requests. With these details, client libraries send the whole conversation instead.
 */
function threadUnsupported(): ProviderError {
  return new ProviderError(400, 'thread: message threads are not simulated', {
    details: { error_code: 'thread_unsupported_request', unsupported: ['model'] },
  });
}
