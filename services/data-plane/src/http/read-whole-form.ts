import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FormField, WholeFile, WholeForm } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { formTooLarge, malformedForm, unsupportedBody } from '@model-gateway/shared/errors';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { AuthenticatedExchange } from './exchange.ts';
import {
  emptyFile,
  limitTotalFieldBytes,
  mediaTypeOf,
  openParser,
  requireWholeField,
} from './form-parser.ts';
import type { MinimumRate } from './minimum-rate.ts';
import { readBody } from './read-body.ts';

export interface ReadWholeFormOptions {
  maxBytes: number;
  maxFiles: number;
  budget: MemoryBudget;
  minimumRate: MinimumRate;
  /** See `readBody`. */
  checkLarge: (arrived: readonly Buffer[]) => void;
  /** @throws GatewayError 400 for a field that must be a file */
  checkField(name: string): void;
  /** @param fields of the files before it @throws GatewayError 400 for a file that may not be there */
  checkFile(name: string, before: readonly string[]): void;
}

/**
 * Reads multipart/form-data into memory, within the budget. Its files are parts of the bytes that arrived,
 * not copies.
 * @throws GatewayError 415, 413, 408, 400, or 503 without memory; what the checks throw; ClientGone
 */
export async function readWholeForm(
  exchange: AuthenticatedExchange,
  options: ReadWholeFormOptions,
): Promise<WholeForm> {
  if (mediaTypeOf(exchange) !== 'multipart/form-data')
    throw unsupportedBody('Send Content-Type: multipart/form-data.');
  const parts = new FormParts(exchange.req.headers['content-type'] ?? '', options);
  const chunks = await readBody(exchange, { ...options, tooLarge: formTooLarge });
  return parts.parse(chunks);
}

class FormParts {
  readonly #options: ReadWholeFormOptions;
  readonly #parser: ReturnType<typeof openParser>;
  readonly #fields: FormField[] = [];
  readonly #files: (WholeFile & { chunks: Buffer[] })[] = [];

  constructor(contentType: string, options: ReadWholeFormOptions) {
    this.#options = options;
    this.#parser = openParser(contentType, options.maxFiles);
  }

  async parse(chunks: readonly Buffer[]): Promise<WholeForm> {
    const parser = this.#parser;
    const fail = (thrown: unknown) =>
      parser.destroy(thrown instanceof GatewayError ? thrown : malformedForm(thrown));
    const catching =
      <Args extends unknown[]>(listener: (...args: Args) => void) =>
      (...args: Args) => {
        try {
          listener(...args);
        } catch (thrown) {
          fail(thrown);
        }
      };
    parser.on(
      'field',
      catching((name, value, nameTruncated, valueTruncated) => {
        requireWholeField(name, nameTruncated || valueTruncated);
        this.#options.checkField(name);
        this.#fields.push({ name, value });
        limitTotalFieldBytes(this.#fields);
      }),
    );
    parser.on('file', (field, stream, filename: string | undefined, _encoding, mimeType) => {
      // Without a listener, an error of the stream would end the process.
      stream.on('error', fail);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      catching(() => {
        requireWholeField(field, false);
        this.#options.checkFile(
          field,
          this.#files.map((file) => file.field),
        );
        this.#files.push({ field, filename: filename || field, mimeType, chunks });
      })();
    });
    for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
      parser.on(event, () => fail(new Error('too many parts')));
    const finished = Promise.withResolvers<void>();
    // Not `pipeline`: a parser that has found the end of the form finishes before all bytes are written.
    parser.once('finish', finished.resolve).on('error', finished.reject);
    Readable.from(unhurried(chunks)).pipe(parser);
    await finished.promise.catch((thrown: unknown) => {
      throw thrown instanceof GatewayError ? thrown : malformedForm(thrown);
    });
    const empty = this.#files.find(({ chunks }) => chunks.length === 0);
    if (empty !== undefined) throw emptyFile(empty.field);
    return { fields: this.#fields, files: this.#files };
  }
}

/** A file can be made so that the search for its end is slow. */
async function* unhurried(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    await yieldToEventLoop();
  }
}
