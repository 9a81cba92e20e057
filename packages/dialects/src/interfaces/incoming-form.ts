import type { Readable } from 'node:stream';

export interface FormField {
  name: string;
  value: string;
}

export interface FormFile {
  filename: string;
  mimeType: string;
  /** The bytes as they arrive, to be read once; or all of them. */
  content: Readable | Buffer;
}

/** A form whose file may still be arriving. */
export interface IncomingForm {
  /** In order; those after the file join when they come. */
  fields: readonly FormField[];
  file: FormFile;
  /** Resolves when the whole form has arrived; rejects as `readForm` does. */
  finished: Promise<void>;
  /** Nobody wants the rest: stops reading. */
  release(): void;
}
