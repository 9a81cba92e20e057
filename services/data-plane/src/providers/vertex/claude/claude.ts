import { readAnthropicError } from '../../anthropic/refusal.ts';
import { sortAnthropicBetas } from '../../anthropic/sorted-betas.ts';
import { passthroughRequest } from '../../ask-passed.ts';
import { translatedRequest } from '../../ask-written.ts';
import type { Chat, CountedPrompt } from '../../chat.ts';
import type { Asked } from '../../dialect.ts';
import { EVENTS, editedJsonBody, JSON_TYPE, jsonProviderBody } from '../../json-body.ts';
import { vertexModelPath } from '../model-path.ts';
import { ANTHROPIC_VERSION, CHAT_TO_VERTEX_CLAUDE } from './claude-translation.ts';
import { VERTEX_REFUSED_BETAS } from './refused-betas.ts';

const BETAS = 'anthropic-beta';
const VERSION_EDIT = { anthropic_version: JSON.stringify(ANTHROPIC_VERSION) };
const COUNT_PATH = '/publishers/anthropic/models/count-tokens:rawPredict';

/** Messages, with the version in the body and the model in the path. A caller of Messages is passed. */
export function vertexClaudeRequest(chat: Chat, upstreamModel: string): Asked | Promise<Asked> {
  const { streamed } = chat.body.value;
  const path = vertexModelPath(upstreamModel, streamed ? 'streamRawPredict' : 'rawPredict');
  const accept = streamed ? EVENTS : JSON_TYPE;
  if (chat.api !== 'messages')
    return translatedRequest({ path, accept }, chat.written(upstreamModel, CHAT_TO_VERTEX_CLAUDE));
  return passthroughRequest(chat.passed(), (body) => ({
    path,
    accept,
    body: editedJsonBody(body, { model: undefined, ...VERSION_EDIT }),
    ...alongWith(chat.betas),
  }));
}

/** A model of its own counts, which is told in the body for which one. */
export function vertexClaudeCountRequest(
  { betas, passed }: CountedPrompt,
  upstreamModel: string,
): Asked | Promise<Asked> {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return passthroughRequest(passed(), (body) => ({
    path: COUNT_PATH,
    accept: JSON_TYPE,
    body: jsonProviderBody(body, name, VERSION_EDIT),
    ...alongWith(betas),
  }));
}

/** What goes along of a caller's head, and how errors come back: some are Google's. */
function alongWith(betas: readonly string[]): Pick<Asked, 'headers' | 'ignored' | 'isOwnApi' | 'isOwnError'> {
  const { ignored, passed: known } = sortAnthropicBetas(betas, VERTEX_REFUSED_BETAS);
  return {
    isOwnApi: true,
    isOwnError: (bodyText) => readAnthropicError(bodyText) !== undefined,
    ...(known.length === 0 ? {} : { headers: { [BETAS]: known.join(',') } }),
    ...(ignored.length === 0 ? {} : { ignored: [BETAS] }),
  };
}
