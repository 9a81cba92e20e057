import type { Readable } from 'node:stream';

export interface FormField {
  name: string;
  value: string;
}

export interface FormFile {
  filename: string;
  mimeType: string;
  /** A stream while it arrives, or all bytes. */
  content: Readable | Buffer;
}

/** A form whose file may still be arriving. */
export interface IncomingForm {
  /** In order. Fields after the file are added when they arrive. */
  fields: readonly FormField[];
  file: FormFile;
  /** Resolves when the whole form has arrived; rejects as `readForm` does. */
  finished: Promise<void>;
  /** Stops reading. */
  release(): void;
}
