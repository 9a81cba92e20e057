import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { refuse } from '../errors/provider-error.ts';
import { lastSegment, type ProviderExchange, urlOf } from '../http/exchange.ts';
import { CLAUDE_MODELS, type ClaudeModel, requireClaude } from '../models.ts';

/** Constant, so that answers can be compared. */
const CREATED_AT = '2025-01-01T00:00:00Z';

const page = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  after_id: z.string().optional(),
  before_id: z.string().optional(),
});

/** GET /v1/models with `anthropic-version` */
export function listClaudeModels(exchange: ProviderExchange): Answer {
  const query = page.safeParse(Object.fromEntries(urlOf(exchange).searchParams));
  if (!query.success) {
    const issue = query.error.issues[0];
    return refuse(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { after_id: after, before_id: before, limit } = query.data;
  const start = after === undefined ? 0 : indexOf(after) + 1;
  const end = before === undefined ? CLAUDE_MODELS.length : indexOf(before);
  // Backwards, a page ends before the named model.
  const isBackwards = before !== undefined && after === undefined;
  const rest = CLAUDE_MODELS.slice(start, end);
  const data = isBackwards ? rest.slice(-limit) : rest.slice(0, limit);
  return jsonAnswer({
    data: data.map(modelObject),
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
}

/** GET /v1/models/:model with `anthropic-version` */
export function retrieveClaudeModel(exchange: ProviderExchange): Answer {
  return jsonAnswer(modelObject(requireClaude(lastSegment(exchange))));
}

function indexOf(id: string): number {
  return CLAUDE_MODELS.indexOf(requireClaude(id));
}

function modelObject({ displayName, id }: ClaudeModel): object {
  return { type: 'model', id, display_name: displayName, created_at: CREATED_AT };
}
