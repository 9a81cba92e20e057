import type { TextPlace } from '@model-gateway/dialects';
import { guardrailUnavailable } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { logIds } from '../observability/log-ids.ts';
import type { Direction, Guardrail, GuardrailInput } from './guardrail.ts';
import type { Guardrails } from './guardrails.ts';
import { runGuardrails } from './run-guardrails.ts';

export type TextToCheck = Pick<TextPlace, 'call' | 'kind' | 'text'>;

/** Characters of one check: parsing and serializing more would delay other requests. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface TextChecks {
  context: Pick<Guardrails, 'log' | 'metrics'>;
  /** At least one, all of this direction. */
  guardrails: readonly Guardrail[];
  exchange: Pick<AuthenticatedExchange, 'record' | 'stop'>;
  direction: Direction;
}

/** Puts checked texts, in the order of their places, where they belong. @returns true if any has changed */
export function putTexts(places: readonly Pick<TextPlace, 'put' | 'text'>[], checked: readonly string[]) {
  let isChanged = false;
  for (const [index, place] of places.entries()) {
    const text = checked[index] ?? '';
    if (text === place.text) continue;
    place.put(text);
    isChanged = true;
  }
  return isChanged;
}

/**
 * Checks texts. Arguments of tools are checked as they are and as the caller's parser reads them, because
 * JSON can spell any character as an escape.
 * @returns the texts to pass on, in the same order
 * @throws GatewayError 403, 503; the reason that the exchange was stopped for
 */
export async function checkTexts(
  checks: TextChecks,
  texts: readonly TextToCheck[],
  conversation?: GuardrailInput['conversation'],
): Promise<string[]> {
  const { context, direction, exchange, guardrails } = checks;
  if (texts.length === 0 && conversation === undefined) return [];
  const sent: string[] = [];
  /** For each text: its positions in `sent`. */
  const places = texts.map(({ kind, text }) => {
    if (kind === 'image' || kind === 'audio') return undefined;
    const decoded = kind === 'arguments' ? decodedArguments(text) : undefined;
    const raw = sent.push(text) - 1;
    return { raw, decoded: decoded === undefined ? undefined : sent.push(decoded) - 1 };
  });
  const problem = uncheckable(texts, sent);
  if (problem !== undefined) {
    const refusing = guardrails.find(({ on_failure }) => on_failure === 'refuse');
    if (refusing === undefined) return texts.map(({ text }) => text);
    context.log.warn(
      { guardrail: refusing.id, ...logIds(exchange.record), direction, reason: problem },
      'a guardrail failed',
    );
    throw guardrailUnavailable(refusing.id, new Error(problem));
  }
  const input: GuardrailInput = {
    direction,
    texts: sent,
    images: texts.filter(({ kind }) => kind === 'image').map(({ text }) => text),
    toolCalls: texts.flatMap(({ call, kind, text }) =>
      kind === 'arguments' ? [{ id: call?.id ?? '', name: call?.name ?? '', arguments: text }] : [],
    ),
    conversation,
    record: exchange.record,
  };
  const checked = await runGuardrails(context, guardrails, input, exchange.stop.signal);
  return texts.map(({ text }, index) => {
    const place = places[index];
    if (place === undefined) return text;
    const raw = checked[place.raw] ?? '';
    if (place.decoded === undefined) return requireSameForm(text, raw, guardrails);
    const decoded = checked[place.decoded] ?? '';
    return requireSameForm(text, decoded === sent[place.decoded] ? raw : decoded, guardrails);
  });
}

function uncheckable(texts: readonly TextToCheck[], sent: readonly string[]): string | undefined {
  if (texts.some(({ kind }) => kind === 'audio')) return 'speech cannot be checked';
  const characters = sent.reduce((sum, { length }) => sum + length, 0);
  return characters > MAX_CHARACTERS ? `more than ${MAX_CHARACTERS} characters cannot be checked` : undefined;
}

/** @returns undefined if the arguments have no escape to decode, or are no JSON */
function decodedArguments(text: string): string | undefined {
  if (!text.includes('\\')) return undefined;
  const value = parsed(text);
  const decoded = value === undefined ? undefined : JSON.stringify(value);
  return decoded === text ? undefined : decoded;
}

/** An object or a list must stay one, or the caller's tool gets something that nobody has checked. */
function requireSameForm(before: string, after: string, guardrails: readonly Guardrail[]): string {
  const isBroken =
    before !== after &&
    /^\s*[[{]/.test(before) &&
    formOf(before) !== undefined &&
    formOf(before) !== formOf(after);
  if (isBroken)
    throw guardrailUnavailable(guardrails.at(-1)?.id ?? '', new Error('it left JSON of another form'));
  return after;
}

/** @returns undefined if the text is no JSON object or list */
function formOf(json: string): 'list' | 'object' | undefined {
  const value = parsed(json);
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? 'list' : 'object';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
