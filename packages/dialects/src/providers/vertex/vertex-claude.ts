import type { Chat, CountedPrompt } from '../../interfaces/chat.ts';
import type { Asked } from '../../interfaces/provider-protocol.ts';
import { readAnthropicError } from '../anthropic/read-anthropic-error.ts';
import { sortAnthropicBetas } from '../anthropic/sort-anthropic-betas.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
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
const COUNT_PATH = '/publishers/anthropic/models/count-tokens:rawPredict';

/** Messages, with the version in the body and the model in the path. */
export function vertexClaudeRequest(chat: Chat, upstreamModel: string): Asked | Promise<Asked> {
  const { streamed } = chat.body.value;
  const path = vertexModelPath(upstreamModel, streamed ? 'streamRawPredict' : 'rawPredict');
  const accept = streamed ? EVENTS : JSON_TYPE;
  if (chat.api !== 'messages')
    return buildTranslatedRequest({ path, accept }, chat.written(upstreamModel, CHAT_TO_VERTEX_CLAUDE));
  return buildPassthroughRequest(chat.passed('cloud'), (body) => ({
    path,
    accept,
    body: editedJsonBody(body, { model: undefined, ...VERSION_EDIT }),
    ...alongWith(chat.betas, chat.body.value.defersTools),
  }));
}

/** A separate model counts; the body names the model to count for. */
export function vertexClaudeCountRequest(
  { betas, body: prompt, passed }: CountedPrompt,
  upstreamModel: string,
): Asked | Promise<Asked> {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return buildPassthroughRequest(passed('cloud'), (body) => ({
    path: COUNT_PATH,
    accept: JSON_TYPE,
    body: jsonProviderBody(body, name, VERSION_EDIT),
    ...alongWith(betas, prompt.value.defersTools),
  }));
}

/** Some errors are Google's, not Anthropic's. */
function alongWith(
  betas: readonly string[],
  defersTools: boolean,
): Pick<Asked, 'headers' | 'ignored' | 'isOwnApi' | 'isOwnError'> {
  const { ignored, passed: known } = sortAnthropicBetas(betas, VERTEX_REFUSED_BETAS, defersTools);
  return {
    isOwnApi: true,
    isOwnError: (bodyText) => readAnthropicError(bodyText) !== undefined,
    ...(known.length === 0 ? {} : { headers: { [BETAS]: known.join(',') } }),
    ...(ignored.length === 0 ? {} : { ignored: [BETAS] }),
  };
}
