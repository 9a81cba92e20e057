import type { Readable } from 'node:stream';
import type { FormField, IncomingForm } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { formTooLarge, invalidField, malformedForm } from '@model-gateway/shared/errors';
import { SMALL_BYTES } from '../memory/budget-bounds.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { ChunkList } from './chunk-list.ts';
import { type AuthenticatedExchange, ClientGone } from './exchange.ts';
import {
  emptyFile,
  limitTotalFieldBytes,
  MAX_NAME_LENGTH,
  openParser,
  requireWholeField,
} from './form-parser.ts';
import type { ArrivingBody, MinimumRate } from './minimum-rate.ts';

export interface ReadFormOptions {
  maxBytes: number;
  budget: MemoryBudget;
  minimumRate: MinimumRate;
  checkLarge: (arrived: readonly Buffer[]) => void;
  fileField: string;
  /** Once this field has arrived, the file streams; before, it is buffered within the budget. */
  awaitedField: string;
  /** Checks the fields that have arrived so far. @throws GatewayError 400 */
  check(fields: readonly FormField[]): void;
}

/** Memory of a streamed form: the buffers between client and provider. */
const STREAMING_BYTES = 256 * 1024;

/**
 * Reads multipart/form-data without temporary files. The file streams with backpressure, unless it arrives
 * before the field that decides its destination.
 * @throws GatewayError 415, 413, 408, 400, or 503 without memory; what `checkLarge` throws; ClientGone
 */
export async function readForm(
  exchange: AuthenticatedExchange,
  options: ReadFormOptions,
): Promise<IncomingForm> {
  const { req, res, stop } = exchange;
  const { maxBytes, budget, minimumRate, checkLarge, fileField, awaitedField, check } = options;
  stop.signal.throwIfAborted();
  const announced = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (Number.isFinite(announced) && announced > maxBytes) throw formTooLarge(maxBytes);
  const parser = openParser(req.headers['content-type'] ?? '', 1);
  if (announced > SMALL_BYTES) checkLarge([]);
  const claim = claimMemory(exchange, budget);
  const streamingBytes = Math.min(announced, STREAMING_BYTES);
  if (!claim.tryTake(streamingBytes)) await claim.take(streamingBytes, stop.signal);
  const fields: FormField[] = [];
  const finished = Promise.withResolvers<void>();
  const form = Promise.withResolvers<IncomingForm>();
  // The form's owner handles the rejection; this only prevents an unhandled one.
  finished.promise.catch(() => undefined);
  let file: { filename: string; mimeType: string; stream: Readable } | undefined;
  let buffered: ChunkList | undefined;
  /** Claimed bytes that are not used yet. */
  let unusedBytes = streamingBytes;
  let isWaiting = false;

  const fail = (thrown: unknown) => {
    const error =
      thrown instanceof GatewayError || thrown instanceof ClientGone ? thrown : malformedForm(thrown);
    detach();
    form.reject(error);
    finished.reject(error);
    file?.stream.destroy(error);
  };
  const claimBytes = (bytes: number): boolean => {
    const further = Math.max(0, bytes - unusedBytes);
    if (further > 0 && !claim.tryTake(further)) return false;
    unusedBytes = Math.max(0, unusedBytes - bytes);
    return true;
  };
  /** Pauses the client until there is memory for everything that may arrive. */
  const waitForMemory = (bytes: number, stream: Readable) => {
    isWaiting = true;
    stream.pause();
    claim.take(bytes, stop.signal).then(() => {
      unusedBytes += bytes;
      isWaiting = false;
      stream.resume();
    }, fail);
  };
  let stopWatching: (() => void) | undefined;
  const detach = () => {
    stopWatching?.();
    req.unpipe(parser);
    req.off('data', onData);
  };
  const catching = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      fail(thrown);
    }
  };
  const arriving = {
    size: 0,
    isHeldBack: () => parser.writableNeedDrain || isWaiting,
    giveUp: fail,
  } satisfies ArrivingBody;
  const onData = (chunk: Buffer) => {
    arriving.size += chunk.length;
    if (arriving.size > maxBytes) fail(formTooLarge(maxBytes));
  };

  parser.on('field', (name, value, nameTruncated, valueTruncated) =>
    catching(() => {
      requireWholeField(name, nameTruncated || valueTruncated);
      if (name === awaitedField && fields.some((field) => field.name === name))
        throw invalidField(name, 'is there twice');
      if (name === fileField) throw invalidField(name, 'must be a file');
      if (!claimBytes(Buffer.byteLength(value))) throw budget.refusal();
      fields.push({ name, value });
      limitTotalFieldBytes(fields);
    }),
  );
  parser.on('file', (name, stream, givenName: string | undefined, _encoding, mimeType) =>
    catching(() => {
      // Without a listener, an error of the stream would end the process. The form's first error wins.
      stream.on('error', fail);
      const filename = givenName || fileField;
      if (name !== fileField) {
        stream.resume();
        throw invalidField(
          name.slice(0, MAX_NAME_LENGTH),
          `is not a file field; send the file in "${fileField}"`,
        );
      }
      file = { filename, mimeType, stream };
      if (fields.some((field) => field.name === awaitedField)) {
        check(fields);
        // Resolve with the first byte only, so that nothing starts for an empty file.
        stream.once('readable', () =>
          catching(() => {
            if (stream.readableLength === 0) throw emptyFile(fileField);
            const file = { filename, mimeType, content: stream };
            form.resolve({ fields, file, finished: finished.promise, release: detach });
          }),
        );
        return;
      }
      const chunks = new ChunkList();
      buffered = chunks;
      stream.on('data', (chunk: Buffer) => {
        unusedBytes -= chunk.length;
        chunks.add(chunk);
      });
      waitForMemory(Math.min(announced, maxBytes) - streamingBytes, stream);
    }),
  );
  for (const event of ['partsLimit', 'fieldsLimit'] as const) {
    parser.on(event, () => fail(malformedForm(new Error('too many parts'))));
  }
  parser.on('filesLimit', () => fail(invalidField(fileField, 'is there twice')));
  parser.on('error', fail);
  parser.on('finish', () =>
    catching(() => {
      stopWatching?.();
      check(fields);
      if (file === undefined) throw invalidField(fileField, 'is required');
      const { filename, mimeType } = file;
      if (buffered !== undefined) {
        const content = Buffer.concat(buffered.all());
        claim.giveBackPart(unusedBytes);
        if (content.length === 0) throw emptyFile(fileField);
        form.resolve({
          fields,
          file: { filename, mimeType, content },
          finished: finished.promise,
          release: detach,
        });
      }
      finished.resolve();
    }),
  );
  req.once('error', () => fail(new ClientGone()));
  req.once('close', () => !req.complete && fail(new ClientGone()));
  stop.signal.addEventListener('abort', () => fail(stop.signal.reason));
  if (req.headers.expect !== undefined) res.writeContinue();
  stopWatching = minimumRate.watch(arriving);
  req.on('data', onData);
  req.pipe(parser);
  return form.promise;
}
