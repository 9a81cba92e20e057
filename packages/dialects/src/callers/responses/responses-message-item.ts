import { newId } from '@model-gateway/shared';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { EventWriter } from './responses-events.ts';

export type ItemStatus = 'completed' | 'incomplete';

/** A message while it is written, with parts of text and refusals. */
export class MessageItem {
  readonly #id = newId('msg');
  readonly #events: EventWriter;
  readonly #outputIndex: number;
  /** JSON of the parts that are complete. */
  readonly #parts: string[] = [];
  #open: 'output_text' | 'refusal' | undefined;
  /** Members of events with the place of the open part. */
  #place = '';
  #text = '';
  #annotations: string[] = [];

  constructor(events: EventWriter, outputIndex: number) {
    this.#events = events;
    this.#outputIndex = outputIndex;
    events.write(
      'response.output_item.added',
      `"output_index":${outputIndex},"item":${this.#json('in_progress')}`,
    );
  }

  /** Length of the open text. Annotations have positions in it. */
  get textLength(): number {
    return this.#open === 'output_text' ? this.#text.length : 0;
  }

  text(text: string): void {
    if (this.#open !== 'output_text') this.#openPart('output_text');
    this.#text += text;
    const delta = `"delta":${JSON.stringify(text)},"logprobs":[]`;
    this.#events.write('response.output_text.delta', `${this.#place},${delta}`);
  }

  refusal(text: string): void {
    if (this.#open !== 'refusal') this.#openPart('refusal');
    this.#text += text;
    this.#events.write('response.refusal.delta', `${this.#place},"delta":${JSON.stringify(text)}`);
  }

  /** Ignores annotations without an open text. */
  annotate(annotation: JsonObject): void {
    if (this.#open !== 'output_text') return;
    const json = JSON.stringify(annotation);
    const members = `${this.#place},"annotation_index":${this.#annotations.length},"annotation":${json}`;
    this.#events.write('response.output_text.annotation.added', members);
    this.#annotations.push(json);
  }

  /** @returns JSON of the whole item */
  close(status: ItemStatus): string {
    this.#closePart();
    const item = this.#json(status);
    this.#events.write('response.output_item.done', `"output_index":${this.#outputIndex},"item":${item}`);
    return item;
  }

  #openPart(type: 'output_text' | 'refusal'): void {
    this.#closePart();
    this.#open = type;
    this.#place =
      `"item_id":"${this.#id}","output_index":${this.#outputIndex},` +
      `"content_index":${this.#parts.length}`;
    this.#events.write('response.content_part.added', `${this.#place},"part":${this.#part('""')}`);
  }

  #closePart(): void {
    if (this.#open === undefined) return;
    const text = JSON.stringify(this.#text);
    if (this.#open === 'output_text')
      this.#events.write('response.output_text.done', `${this.#place},"text":${text},"logprobs":[]`);
    else this.#events.write('response.refusal.done', `${this.#place},"refusal":${text}`);
    const part = this.#part(text);
    this.#events.write('response.content_part.done', `${this.#place},"part":${part}`);
    this.#parts.push(part);
    this.#open = undefined;
    this.#text = '';
    this.#annotations = [];
  }

  /** @param text JSON */
  #part(text: string): string {
    if (this.#open === 'refusal') return `{"type":"refusal","refusal":${text}}`;
    const annotations = this.#annotations.join(',');
    return `{"type":"output_text","text":${text},"annotations":[${annotations}],"logprobs":[]}`;
  }

  #json(status: ItemStatus | 'in_progress'): string {
    const content = this.#parts.join(',');
    return `{"id":"${this.#id}","type":"message","status":"${status}","role":"assistant","content":[${content}]}`;
  }
}

/** @param textStart start of the open text in the whole output. @returns undefined for other annotations */
export function urlCitation(annotation: unknown, textStart: number): JsonObject | undefined {
  if (!isObject(annotation) || annotation.type !== 'url_citation') return undefined;
  const { url_citation } = annotation;
  if (!isObject(url_citation) || typeof url_citation.url !== 'string') return undefined;
  const { end_index, start_index, title, url } = url_citation;
  return {
    type: 'url_citation',
    url,
    title: typeof title === 'string' ? title : '',
    start_index: placeIn(start_index, textStart),
    end_index: placeIn(end_index, textStart),
  };
}

function placeIn(index: unknown, textStart: number): number {
  return typeof index === 'number' && Number.isSafeInteger(index) ? Math.max(0, index - textStart) : 0;
}
