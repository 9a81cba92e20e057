import { newId } from '@model-gateway/shared';
import type { EventWriter } from './responses-events.ts';

/** A reasoning item while it is written, with its text as the only part of the summary. */
export class ReasoningItem {
  readonly #id = newId('rs');
  readonly #events: EventWriter;
  readonly #outputIndex: number;
  readonly #place: string;
  #text = '';

  constructor(events: EventWriter, outputIndex: number) {
    this.#events = events;
    this.#outputIndex = outputIndex;
    this.#place = `"item_id":"${this.#id}","output_index":${outputIndex},"summary_index":0`;
    events.write('response.output_item.added', `"output_index":${outputIndex},"item":${this.#json('', '')}`);
  }

  text(text: string): void {
    if (this.#text === '')
      this.#events.write('response.reasoning_summary_part.added', `${this.#place},"part":${partOf('""')}`);
    this.#text += text;
    this.#events.write(
      'response.reasoning_summary_text.delta',
      `${this.#place},"delta":${JSON.stringify(text)}`,
    );
  }

  /** @returns JSON of the whole item */
  close(encryptedContent: string | undefined): string {
    const item = this.#json(this.#closePart(), encryptedOf(encryptedContent));
    this.#events.write('response.output_item.done', `"output_index":${this.#outputIndex},"item":${item}`);
    return item;
  }

  /** @returns JSON of the part; '' without one */
  #closePart(): string {
    if (this.#text === '') return '';
    const text = JSON.stringify(this.#text);
    const part = partOf(text);
    this.#events.write('response.reasoning_summary_text.done', `${this.#place},"text":${text}`);
    this.#events.write('response.reasoning_summary_part.done', `${this.#place},"part":${part}`);
    return part;
  }

  #json(summary: string, encrypted: string): string {
    return `{"id":"${this.#id}","type":"reasoning","summary":[${summary}]${encrypted}}`;
  }
}

/** @param text JSON */
function partOf(text: string): string {
  return `{"type":"summary_text","text":${text}}`;
}

function encryptedOf(content: string | undefined): string {
  return content === undefined ? '' : `,"encrypted_content":${JSON.stringify(content)}`;
}
