import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { scoreDocuments } from '../rerank/score-documents.ts';
import { count } from '../schemas/members.ts';
import { countTokens } from '../text/tokenizer.ts';

const MAX_DOCUMENTS = 1000;
/** Cohere bills this many documents as one search. */
const DOCUMENTS_PER_SEARCH_UNIT = 100;

const rerankRequest = z.looseObject({
  model: z.string(),
  query: z.string().min(1, 'expected a query that is not empty'),
  documents: z
    .array(z.union([z.string(), z.record(z.string(), z.unknown())]))
    .min(1)
    .max(MAX_DOCUMENTS),
  top_n: count(1).nullish(),
  return_documents: z.boolean().nullish(),
  rank_fields: z.array(z.string()).nullish(),
});

/** POST /v1/rerank, in the shape of Cohere's v2. */
export function rerank({ credential, fault, json, meter }: ProviderExchange): Answer {
  const request = parseFields(rerankRequest, json);
  requireModel(request.model, 'rerank');
  const texts = request.documents.map((document) => documentText(document, request.rank_fields ?? []));
  const scored = scoreDocuments(request.query, texts).slice(0, request.top_n ?? texts.length);
  const inputTokens = countTokens([request.query, ...texts].join('\n'));
  const search_units = Math.ceil(texts.length / DOCUMENTS_PER_SEARCH_UNIT);
  meter({ model: request.model, units: { searchUnits: search_units } });
  const billed_units = spoilUsage({ search_units }, fault);
  const tokens = spoilUsage({ input_tokens: inputTokens, output_tokens: 0 }, fault);
  return jsonAnswer({
    id: randomUUID(),
    results: scored.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(request.return_documents ? { document: { text: texts[index] } } : {}),
    })),
    meta: { api_version: { version: '2' }, billed_units, tokens },
    ...(fault.echo_credential ? { debug: credential } : {}),
  });
}

/** Returns the text to compare: the requested fields, else the document's text, else all of it. */
function documentText(document: string | Record<string, unknown>, fields: readonly string[]): string {
  if (typeof document === 'string') return document;
  const chosen = fields.flatMap((field) => (document[field] === undefined ? [] : [String(document[field])]));
  if (chosen.length > 0) return chosen.join('\n');
  return typeof document.text === 'string' ? document.text : JSON.stringify(document);
}
