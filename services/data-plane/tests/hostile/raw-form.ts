/** A part of a form, byte by byte as given: names are not escaped. With a filename it is a file. */
export type Part = readonly [name: string, value: string | Buffer, filename?: string];

export const BOUNDARY = 'boundary-0123456789';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Writes multipart/form-data that no client library would. */
export function encodeForm(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  return Buffer.concat([
    ...parts.map(([name, value, filename]) =>
      Buffer.concat([
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
        ),
        Buffer.from(value),
        Buffer.from('\r\n'),
      ]),
    ),
    Buffer.from(end),
  ]);
}

/** Fields `t0`, `t1` and so on, each of so many bytes. */
export function textFields(count: number, bytes: number): Part[] {
  return Array.from({ length: count }, (_, index): Part => [`t${index}`, 'x'.repeat(bytes)]);
}
