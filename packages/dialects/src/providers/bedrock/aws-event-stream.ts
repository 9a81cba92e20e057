import { causedByRequest } from '../../failures/provider-failures.ts';
import type { EventFraming } from '../../interfaces/event-framing.ts';
import { objectOr, textOr } from '../../json/json-object.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import { type Frame, type FrameDecoder, FrameParser } from './parse-aws-frames.ts';

export const EVENT_STREAM = 'application/vnd.amazon.eventstream';
const CONTENT_TYPE = /^application\/vnd\.amazon\.eventstream\b/i;

/** A body that is none is broken, as an event of text is. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A failure that the provider reports in mid-stream. */
export interface StreamException {
  /** In its own word, such as `throttlingException`. */
  type: string;
  message: string;
}

export interface MessageReader {
  /** @param json the body, which the library has found to be whole */
  event(type: string, json: string): string | undefined;
  exception(exception: StreamException): string;
}

/** The checks of the library, once it was needed. */
let decoder: FrameDecoder | undefined;

/** To be awaited before an answer in such a stream is asked for: whoever asks for none shall not load it. */
export function loadEventStreams(): Promise<void> | undefined {
  return decoder === undefined ? load() : undefined;
}

async function load(): Promise<void> {
  const { EventStreamCodec } = await import('@smithy/core/event-streams');
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes).toString(),
    (text) => Buffer.from(text),
  );
  decoder = (message) => {
    const { body, headers } = codec.decode(message);
    const values = Object.entries(headers).map(([name, { value }]) => [name, value]);
    return { headers: Object.fromEntries(values), body };
  };
}

/** `application/vnd.amazon.eventstream`, once `loadEventStreams` has ended. */
export function awsEvents(reader: MessageReader): EventFraming {
  return {
    contentType: CONTENT_TYPE,
    parser: (maxEventBytes) => {
      if (decoder === undefined) throw new Error('an event stream of AWS came without being asked for');
      return new FrameParser(decoder, (frame) => dataOf(frame, reader), maxEventBytes);
    },
  };
}

function dataOf({ body, headers }: Frame, reader: MessageReader): string | undefined {
  const json = utf8.decode(body);
  switch (headers[':message-type']) {
    case 'event':
      return reader.event(textOr(headers[':event-type']), json);
    case 'exception':
      return reader.exception({ type: textOr(headers[':exception-type']), message: messageIn(json) });
    case 'error':
      return reader.exception({
        type: textOr(headers[':error-code']),
        message: textOr(headers[':error-message']),
      });
  }
  throw causedByRequest('a message of the event stream says not what it is');
}

function messageIn(json: string): string {
  return textOr(objectOr(parseBoundedJson(json)).message);
}
