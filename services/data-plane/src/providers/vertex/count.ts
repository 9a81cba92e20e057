import { isObject } from '../../translation/json-object.ts';
import { anthropicCountTokens } from '../anthropic/count.ts';
import { translatedRequest } from '../ask-written.ts';
import type { CountEndpoint } from '../dialect.ts';
import { geminiCountTokens } from '../gemini/count.ts';
import { JSON_TYPE } from '../json-body.ts';
import { vertexClaudeCountRequest } from './claude/claude.ts';
import { CHAT_TO_VERTEX_COUNT } from './count-translation.ts';
import { isVertexClaude, vertexModelPath } from './model-path.ts';

/** By the model: a method of the models of Anthropic, and countTokens of all others. */
export const vertexCountTokens: CountEndpoint = {
  ask: (prompt, upstreamModel) =>
    isVertexClaude(upstreamModel)
      ? vertexClaudeCountRequest(prompt, upstreamModel)
      : translatedRequest(
          { path: vertexModelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
          prompt.written(upstreamModel, CHAT_TO_VERTEX_COUNT),
        ),
  whole: (value, text) =>
    (isObject(value) && 'input_tokens' in value ? anthropicCountTokens : geminiCountTokens).whole(
      value,
      text,
    ),
};
