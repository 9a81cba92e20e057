import type { Chat, PromptToCount } from '../../interfaces/chat.ts';
import type { UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import { ANTHROPIC_PASSTHROUGH } from '../anthropic/read-anthropic-error.ts';
import { splitAnthropicBetas } from '../anthropic/split-anthropic-betas.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { NO_TIERS, requireTier } from '../shared/service-tier-for.ts';
import { EVENTS, editedJsonBody, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { ANTHROPIC_VERSION, CHAT_TO_VERTEX_CLAUDE } from './chat-to-vertex-claude.ts';
import { vertexModelPath } from './vertex-model-path.ts';

/**
 * Vertex AI refuses these with 400: "Unexpected value(s) … for the `anthropic-beta` header". Source:
 * "Features overview" in Anthropic's documentation.
 */
const VERTEX_REFUSED_BETAS = [
  'advisor-tool-',
  'code-execution-',
  'fast-mode-',
  'files-api-',
  'mcp-client-',
  'oauth-',
  'prompt-caching-scope-',
  'skills-',
  'structured-outputs-',
  'web-fetch-',
];

const BETAS = 'anthropic-beta';
const VERSION_EDIT = { anthropic_version: JSON.stringify(ANTHROPIC_VERSION) };
const CHAT_EDITS = { model: undefined, service_tier: undefined, ...VERSION_EDIT };
const COUNT_PATH = '/publishers/anthropic/models/count-tokens:rawPredict';

/** Messages, with the version in the body and the model in the path. */
export function vertexClaudeRequest(
  chat: Chat,
  upstreamModel: string,
): UpstreamRequest | Promise<UpstreamRequest> {
  const { streamed } = chat.body.value;
  const path = vertexModelPath(upstreamModel, streamed ? 'streamRawPredict' : 'rawPredict');
  const accept = streamed ? EVENTS : JSON_TYPE;
  if (chat.api !== 'messages')
    return buildTranslatedRequest({ path, accept }, chat.translate(upstreamModel, CHAT_TO_VERTEX_CLAUDE));
  requireTier(chat, NO_TIERS);
  return buildPassthroughRequest(chat.passthroughBody('cloud'), (body) => ({
    path,
    accept,
    body: editedJsonBody(body, CHAT_EDITS),
    ...passthroughOptions(chat.betas, chat.body.value.defersTools),
  }));
}

/** A separate model counts; the body names the model to count for. */
export function vertexClaudeCountRequest(
  { betas, body: prompt, passthroughBody }: PromptToCount,
  upstreamModel: string,
): UpstreamRequest | Promise<UpstreamRequest> {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return buildPassthroughRequest(passthroughBody('cloud'), (body) => ({
    path: COUNT_PATH,
    accept: JSON_TYPE,
    body: jsonProviderBody(body, name, VERSION_EDIT),
    ...passthroughOptions(betas, prompt.value.defersTools),
  }));
}

/** Some errors are Google's, not Anthropic's. */
function passthroughOptions(
  betas: readonly string[],
  defersTools: boolean,
): Pick<UpstreamRequest, 'headers' | 'ignored' | 'isOwnApi' | 'isOwnError'> {
  const { ignored, passed: known } = splitAnthropicBetas(betas, VERTEX_REFUSED_BETAS, defersTools);
  return {
    ...ANTHROPIC_PASSTHROUGH,
    ...(known.length === 0 ? {} : { headers: { [BETAS]: known.join(',') } }),
    ...(ignored.length === 0 ? {} : { ignored: [BETAS] }),
  };
}
