import type { CountEndpoint } from '../../interfaces/provider-protocol.ts';
import { isObject } from '../../json/json-object.ts';
import { anthropicCountTokens } from '../anthropic/anthropic-count-tokens.ts';
import { geminiCountTokens } from '../gemini/gemini-count-tokens.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { CHAT_TO_VERTEX_COUNT } from './chat-to-vertex-count.ts';
import { vertexClaudeCountRequest } from './vertex-claude.ts';
import { isVertexClaude, vertexModelPath } from './vertex-model-path.ts';

export const vertexCountTokens: CountEndpoint = {
  buildRequest: (prompt, upstreamModel) =>
    isVertexClaude(upstreamModel)
      ? vertexClaudeCountRequest(prompt, upstreamModel)
      : buildTranslatedRequest(
          { path: vertexModelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
          prompt.translate(upstreamModel, CHAT_TO_VERTEX_COUNT),
        ),
  whole: (value, text) =>
    (isObject(value) && 'input_tokens' in value ? anthropicCountTokens : geminiCountTokens).whole(
      value,
      text,
    ),
};
