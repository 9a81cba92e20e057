import type { ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** Longer bodies are not recorded. */
const MAX_BYTES = 1024 * 1024;

export interface RecordedBody {
  /**
   * Returns the text that was sent so far, decompressed.
   * @param inEvents true for a stream of events: of an interrupted one, the whole events are returned
   * @returns undefined when the body was too long, or was not sent to its end
   */
  text(inEvents: boolean): string | undefined;
}

/** Records the body that is written to a response. */
export function recordBody(res: ServerResponse): RecordedBody {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const add = ([chunk, encoding]: unknown[]) => {
    if (bytes > MAX_BYTES || chunk === null || chunk === undefined || typeof chunk === 'function') return;
    const added = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk), encodingOf(encoding));
    bytes += added.length;
    if (bytes > MAX_BYTES) chunks.length = 0;
    else chunks.push(added);
  };
  for (const name of ['write', 'end'] as const) {
    const original: unknown = res[name];
    if (typeof original !== 'function') continue;
    res[name] = (...parameters: unknown[]) => {
      add(parameters);
      return Reflect.apply(original, res, parameters);
    };
  }
  return {
    text(inEvents) {
      if (bytes > MAX_BYTES) return undefined;
      const body = Buffer.concat(chunks);
      if (res.getHeader('content-encoding') === 'gzip') {
        return res.writableFinished ? gunzipSync(body).toString() : undefined;
      }
      const text = body.toString();
      if (res.writableFinished) return text;
      return inEvents ? text.slice(0, text.lastIndexOf('\n\n') + 2) : undefined;
    },
  };
}

function encodingOf(value: unknown): BufferEncoding {
  return typeof value === 'string' && Buffer.isEncoding(value) ? value : 'utf8';
}
