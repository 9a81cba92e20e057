import { refusal } from '../../anthropic/refusal.ts';
import { sortedBetas } from '../../anthropic/sorted-betas.ts';
import { askPassed } from '../../ask-passed.ts';
import { askWritten } from '../../ask-written.ts';
import type { Chat, CountedPrompt } from '../../chat.ts';
import type { Asked } from '../../dialect.ts';
import { EVENTS, editedJsonBody, JSON_TYPE, jsonProviderBody } from '../../json-body.ts';
import { modelPath } from '../model-path.ts';
import { ANTHROPIC_VERSION, VERTEX_CLAUDE_FROM_COMPLETIONS } from './claude-translation.ts';
import { REFUSED_BETAS } from './refused-betas.ts';

const BETAS = 'anthropic-beta';
const VERSION_EDIT = { anthropic_version: JSON.stringify(ANTHROPIC_VERSION) };
const COUNT_PATH = '/publishers/anthropic/models/count-tokens:rawPredict';

/** Messages, with the version in the body and the model in the path. A caller of Messages is passed. */
export function askClaude(chat: Chat, upstreamModel: string): Asked | Promise<Asked> {
  const { streamed } = chat.body.value;
  const path = modelPath(upstreamModel, streamed ? 'streamRawPredict' : 'rawPredict');
  const accept = streamed ? EVENTS : JSON_TYPE;
  if (chat.api !== 'messages')
    return askWritten({ path, accept }, chat.written(upstreamModel, VERTEX_CLAUDE_FROM_COMPLETIONS));
  return askPassed(chat.passed(), (body) => ({
    path,
    accept,
    body: editedJsonBody(body, { model: undefined, ...VERSION_EDIT }),
    ...alongWith(chat.betas),
  }));
}

/** A model of its own counts, which is told in the body for which one. */
export function askClaudeCount(
  { betas, passed }: CountedPrompt,
  upstreamModel: string,
): Asked | Promise<Asked> {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return askPassed(passed(), (body) => ({
    path: COUNT_PATH,
    accept: JSON_TYPE,
    body: jsonProviderBody(body, name, VERSION_EDIT),
    ...alongWith(betas),
  }));
}

/** What goes along of a caller's head, and how errors come back: some are Google's. */
function alongWith(betas: readonly string[]): Pick<Asked, 'headers' | 'ignored' | 'isOwnApi' | 'isOwnError'> {
  const { ignored, passed: known } = sortedBetas(betas, REFUSED_BETAS);
  return {
    isOwnApi: true,
    isOwnError: (bodyText) => refusal(bodyText) !== undefined,
    ...(known.length === 0 ? {} : { headers: { [BETAS]: known.join(',') } }),
    ...(ignored.length === 0 ? {} : { ignored: [BETAS] }),
  };
}
