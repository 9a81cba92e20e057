import { isObject } from '../../translation/json-object.ts';
import { count as messages } from '../anthropic/count.ts';
import { askWritten } from '../ask-written.ts';
import type { CountEndpoint } from '../dialect.ts';
import { count as content } from '../gemini/count.ts';
import { JSON_TYPE } from '../json-body.ts';
import { askClaudeCount } from './claude/claude.ts';
import { COUNT_FROM_COMPLETIONS } from './count-translation.ts';
import { isClaude, modelPath } from './model-path.ts';

/** By the model: a method of the models of Anthropic, and countTokens of all others. */
export const count: CountEndpoint = {
  ask: (prompt, upstreamModel) =>
    isClaude(upstreamModel)
      ? askClaudeCount(prompt, upstreamModel)
      : askWritten(
          { path: modelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
          prompt.written(upstreamModel, COUNT_FROM_COMPLETIONS),
        ),
  whole: (value, text) =>
    (isObject(value) && 'input_tokens' in value ? messages : content).whole(value, text),
};
