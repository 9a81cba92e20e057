import { causedByRequest } from '../../failures/provider-failures.ts';
import type { EventFraming } from '../../interfaces/event-framing.ts';
import { objectOr, textOr } from '../../json/json-object.ts';
import { parseBoundedJson } from '../../json/parse-bounded-json.ts';
import { type Frame, type FrameDecoder, FrameParser } from './parse-aws-frames.ts';

export const EVENT_STREAM = 'application/vnd.amazon.eventstream';
const CONTENT_TYPE = /^application\/vnd\.amazon\.eventstream\b/i;

/** Throws for invalid UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface StreamException {
  /** Such as `throttlingException`. */
  type: string;
  message: string;
}

export interface MessageReader {
  /** @param json the body; its checksum was correct */
  event(type: string, json: string): string | undefined;
  exception(exception: StreamException): string;
}

/** Undefined until the library is loaded. */
let decoder: FrameDecoder | undefined;

/** Loads the library on first use. Must be awaited before a request for an event stream. */
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

/** Requires `loadEventStreams`. */
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
