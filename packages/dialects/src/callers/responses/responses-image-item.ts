import { newId } from '@model-gateway/shared';
import type { EventWriter } from './responses-events.ts';

export interface ResponsesImage {
  /** `png`, `jpeg`, … */
  format: string;
  base64: string;
}

/** @returns undefined for anything but a data URL of an image */
export function responsesImage(url: string): ResponsesImage | undefined {
  const [head, format] = /^data:image\/([a-z0-9.+-]{1,50});base64,/i.exec(url.slice(0, MAX_HEAD)) ?? [];
  if (head === undefined || format === undefined) return undefined;
  return { format: format.toLowerCase(), base64: url.slice(head.length) };
}

const MAX_HEAD = 100;

/** Writes a generated image as an `image_generation_call`. @returns JSON of the whole item */
export function writeImageItem(events: EventWriter, outputIndex: number, picture: ResponsesImage): string {
  const id = newId('ig');
  const place = `"output_index":${outputIndex}`;
  const begun = `{"id":"${id}","type":"image_generation_call","status":"in_progress","result":null}`;
  events.write('response.output_item.added', `${place},"item":${begun}`);
  for (const state of ['in_progress', 'generating', 'completed'])
    events.write(`response.image_generation_call.${state}`, `${place},"item_id":"${id}"`);
  const item = JSON.stringify({
    id,
    type: 'image_generation_call',
    status: 'completed',
    output_format: picture.format,
    result: picture.base64,
  });
  events.write('response.output_item.done', `${place},"item":${item}`);
  return item;
}
