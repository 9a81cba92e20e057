import { causedByRequest } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject, textOr } from '../../json/json-object.ts';
import { readCarriedState, writeCarriedState } from '../carried-state.ts';

/** Members of Chat Completions with the text of reasoning. */
export type ReasoningField = 'reasoning_content' | 'reasoning';

/** Reasoning that a provider needs back. `encrypted_content` holds all of it, also the summary. */
export interface ItemReasoning {
  /** The provider's member of the text; left out: only `details` has text. */
  field?: ReasoningField;
  /** Left out: the texts of `details`, joined. */
  text?: string;
  /** The entries of `reasoning_details`, each whole. */
  details?: readonly JsonObject[];
  /** Extra data of tool calls, such as `google.thought_signature`, by call id. */
  calls?: readonly CarriedExtra[];
}

export interface CarriedExtra {
  id: string;
  extra_content: unknown;
}

/**
 * Every caller needs `calls`, also without asking for encrypted content: Gemini refuses a conversation whose
 * calls have lost their signatures.
 * @returns the `encrypted_content` of a reasoning item
 */
export function writeEncryptedContent(reasoning: ItemReasoning): string {
  const { field, text, ...others } = reasoning;
  const isDerived = text === undefined || text === textOf(others);
  const member = field === undefined ? {} : { field };
  return writeCarriedState({ ...member, ...(isDerived ? {} : { text }), ...others });
}

/**
 * Reads the result of `encryptedContentOf`; adds a `text` wherever there is a `field`.
 * @returns undefined: another provider or gateway has encrypted it
 */
export function readEncryptedContent(encryptedContent: string): ItemReasoning | undefined {
  const state = readCarriedState(encryptedContent);
  if (state === undefined) return undefined;
  const details = Array.isArray(state.details) ? state.details.filter(isObject) : [];
  const calls = Array.isArray(state.calls) ? state.calls.flatMap(extraIn) : [];
  const others = {
    ...(details.length === 0 ? {} : { details }),
    ...(calls.length === 0 ? {} : { calls }),
  };
  if (state.field !== 'reasoning_content' && state.field !== 'reasoning') return others;
  return {
    field: state.field,
    text: typeof state.text === 'string' ? state.text : textOf({ details }),
    ...others,
  };
}

/** The text of the entries of `reasoning_details`, without what is encrypted. */
function textOf({ details = [] }: Pick<ItemReasoning, 'details'>): string {
  return details.map(({ summary, text }) => textOr(text) || textOr(summary)).join('');
}

function extraIn(value: unknown): CarriedExtra[] {
  if (!isObject(value) || typeof value.id !== 'string' || !isObject(value.extra_content)) return [];
  return [{ id: value.id, extra_content: value.extra_content }];
}

/** Bounds memory: no model writes more. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_DETAILS = 10_000;

export class ReasoningGatherer {
  #field: ReasoningField | undefined;
  #text = '';
  #details: Record<string, unknown>[] = [];
  #calls: CarriedExtra[] = [];
  #characters = 0;

  get isEmpty(): boolean {
    return this.#field === undefined && this.#details.length === 0 && this.#calls.length === 0;
  }

  /**
   * Adds the reasoning of a `delta` or a `message`.
   * @returns its text, for the summary. @throws GatewayError 502 beyond the bounds
   */
  add({ reasoning, reasoning_content, reasoning_details }: JsonObject): string {
    const field = textOr(reasoning_content) === '' ? 'reasoning' : 'reasoning_content';
    const text = textOr(reasoning_content) || textOr(reasoning);
    if (text !== '') {
      this.#field ??= field;
      this.#text += text;
      this.#claim(text.length);
    }
    const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isObject) : [];
    for (const [place, detail] of details.entries()) this.#addDetail(detail, place === 0);
    // Details repeat reasoning that is there as text.
    return text || textOf({ details });
  }

  /** Adds the `extra_content` of a call. */
  addCall(id: string, extraContent: unknown): void {
    if (id === '' || !isObject(extraContent)) return;
    this.#claim(JSON.stringify(extraContent).length);
    this.#calls.push({ id, extra_content: extraContent });
  }

  /** Returns everything since the last call. */
  take(): ItemReasoning {
    const taken = {
      ...(this.#field === undefined ? {} : { field: this.#field, text: this.#text }),
      ...(this.#details.length === 0 ? {} : { details: this.#details.map(withoutIndex) }),
      ...(this.#calls.length === 0 ? {} : { calls: this.#calls }),
    };
    this.#field = undefined;
    this.#text = '';
    this.#details = [];
    this.#calls = [];
    return taken;
  }

  #addDetail(detail: JsonObject, isFirst: boolean): void {
    this.#claim(textOr(detail.text).length + textOr(detail.summary).length + textOr(detail.data).length);
    const last = this.#details.at(-1);
    if (last === undefined || !continues(detail, last, isFirst)) {
      if (this.#details.length === MAX_DETAILS) throw tooMuch();
      this.#details.push({ ...detail });
      return;
    }
    for (const [name, value] of Object.entries(detail)) {
      const isJoined = JOINED.has(name) && typeof value === 'string';
      if (isJoined) last[name] = textOr(last[name]) + value;
      else if (value !== null && value !== undefined) last[name] = value;
    }
  }

  #claim(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw tooMuch();
  }
}

const JOINED: ReadonlySet<string> = new Set(['text', 'summary', 'signature']);

/**
 * Returns true if an entry is a piece of the one before it. Those of one answer have an index each; where
 * they have none, a piece is the first of its delta, and nothing follows a signature.
 */
function continues(next: JsonObject, last: JsonObject, isFirst: boolean): boolean {
  if (next.type !== last.type || next.type === 'reasoning.encrypted') return false;
  if (typeof next.index === 'number') return next.index === last.index;
  return isFirst && last.index === undefined && textOr(last.signature) === '';
}

/** The index belongs to one stream, and would join entries of two turns. */
function withoutIndex({ index: _index, ...detail }: JsonObject): JsonObject {
  return detail;
}

function tooMuch(): Error {
  return causedByRequest('the provider sent too much reasoning');
}
