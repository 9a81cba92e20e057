import { randomBytes } from 'node:crypto';
import { CALLERS_NOTES, CALLERS_SESSION } from '@model-gateway/shared';
import type { WholeFile } from '../../interfaces/image-edit.ts';
import type { FormField } from '../../interfaces/incoming-form.ts';

const OWN_FIELDS = new Set(['model', CALLERS_NOTES, CALLERS_SESSION]);
export const LINE_END = Buffer.from('\r\n');

/** Writes the parts of a form for a provider. No content of the caller can contain its random boundary. */
export class FormWriter {
  readonly #boundary = `gateway-${randomBytes(16).toString('hex')}`;

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`;
  }

  /** The provider's name of the model. */
  model(upstreamModel: string): Buffer {
    return this.#field({ name: 'model', value: upstreamModel });
  }

  /** @returns nothing for a field that the provider does not get */
  callersField(field: FormField | undefined): Buffer[] {
    return field === undefined || OWN_FIELDS.has(field.name) ? [] : [this.#field(field)];
  }

  /** Content and LINE_END follow it. */
  fileHead({ field, filename, mimeType }: Omit<WholeFile, 'chunks'>): Buffer {
    return Buffer.from(
      `--${this.#boundary}\r\nContent-Disposition: form-data; name="${escaped(field)}"; filename="${escaped(filename)}"\r\nContent-Type: ${mediaType(mimeType)}\r\n\r\n`,
    );
  }

  end(): Buffer {
    return Buffer.from(`--${this.#boundary}--\r\n`);
  }

  #field({ name, value }: FormField): Buffer {
    return Buffer.from(
      `--${this.#boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
    );
  }
}

/** Escapes like browsers do (WHATWG HTML, "multipart/form-data"). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function mediaType(mimeType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
}
