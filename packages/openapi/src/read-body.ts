import { EVENT_STREAM } from './success-responses.ts';

/** The values of a body that its schema describes: one, or one per event. @throws SyntaxError */
export function valuesOf(mediaType: string, body: string): unknown[] {
  if (mediaType === 'application/json') return [JSON.parse(body)];
  if (mediaType === EVENT_STREAM) return eventValues(body);
  return [body];
}

function eventValues(body: string): unknown[] {
  const data = body.split(/\r\n\r\n|\n\n|\r\r/).map(dataOf);
  const texts = data.filter((text) => text !== '');
  if (texts.at(-1) === '[DONE]') texts.pop();
  return texts.map((text) => JSON.parse(text));
}

/** Reads the data of an event. Lines with a colon first are comments; `event` and `id` add no data. */
function dataOf(event: string): string {
  return event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n');
}
